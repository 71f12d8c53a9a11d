// The site of the documents. `npm run docs:build` copies them into a cache, with the layout of the repository, and builds them there.
import fs from 'node:fs';

const sections = JSON.parse(fs.readFileSync(new URL('./sections.json', import.meta.url), 'utf8'));
const link = (text, target) => ({ text, link: target });

/** Returns the anchor of a heading as GitHub makes it, which the links of the documents use. */
function slugify(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

export default {
  title: 'image-gateway',
  description: 'A self-hosted gateway for AI image generation',
  lang: 'en',
  base: process.env.DOCS_BASE ?? '/',
  rewrites: { 'README.md': 'index.md' },
  // The pages as they are, for llms.txt.
  srcExclude: ['public/**'],
  lastUpdated: false,
  // A link that leads nowhere fails the build.
  ignoreDeadLinks: false,
  markdown: {
    anchor: { slugify },
    config: (markdown) => {
      const renderFence = markdown.renderer.rules.fence;
      markdown.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info, content } = tokens[index];
        return info.trim() === 'mermaid'
          ? `<ClientOnly><MermaidDiagram source="${encodeURIComponent(content)}" /></ClientOnly>`
          : renderFence(tokens, index, ...rest);
      };
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      link('API', '/docs/api'),
      link('Clients', '/docs/clients/README'),
      link('Deploying', '/docs/deploying'),
      link('Changes', '/CHANGELOG'),
    ],
    sidebar: [
      link('Overview', '/'),
      ...sections.map(({ title, pages }) => ({
        text: title,
        items: pages.map(({ title: name, file }) => link(name, `/${file.replace(/\.md$/, '')}`)),
      })),
    ],
    footer: { message: 'Apache-2.0' },
  },
};
