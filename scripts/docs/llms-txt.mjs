// Makes llms.txt (https://llmstxt.org), which tells language models where what is written; a test compares it.

const ABOUT =
  'A self-hosted gateway for AI image generation: one HTTP API over many providers, with tasks, signed webhooks, prepaid ' +
  'balances and an object store. A running gateway describes itself at /v1/openapi.json.';

/**
 * Returns the text of llms.txt for the sections of the site.
 * @typedef {{ readonly title: string, readonly file: string, readonly about: string }} Page
 * @param {readonly { readonly title: string, readonly pages: readonly Page[] }[]} sections
 */
export function makeLlmsTxt(sections) {
  const lines = ['# image-gateway', '', `> ${ABOUT}`];
  for (const { title, pages } of sections) {
    lines.push(
      '',
      `## ${title}`,
      '',
      ...pages.map((page) => `- [${page.title}](${page.file}): ${page.about}`),
    );
  }
  return `${lines.join('\n')}\n`;
}
