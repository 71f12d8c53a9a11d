import DefaultTheme from 'vitepress/theme';
import { defineAsyncComponent } from 'vue';
import './style.css';

/** The default theme, with the diagrams of the pages. */
export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component(
      'MermaidDiagram',
      defineAsyncComponent(() => import('./mermaid-diagram.js')),
    );
  },
};
