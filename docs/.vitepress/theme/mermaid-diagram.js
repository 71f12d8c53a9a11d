import mermaid from 'mermaid';
import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, watch } from 'vue';

let drawn = 0;

/** Draws a diagram in the browser, in the colors of the page. Until then, and without scripts, its source is shown. */
export default defineComponent({
  props: { source: { type: String, required: true } },
  setup({ source }) {
    const { isDark } = useData();
    const text = decodeURIComponent(source);
    const image = ref('');
    const draw = async () => {
      mermaid.initialize({ startOnLoad: false, theme: isDark.value ? 'dark' : 'neutral' });
      drawn += 1;
      image.value = (await mermaid.render(`diagram-${drawn}`, text)).svg;
    };
    onMounted(draw);
    watch(isDark, draw);
    return () =>
      image.value === '' ? h('pre', text) : h('div', { class: 'diagram', innerHTML: image.value });
  },
});
