import fs from 'node:fs';
import path from 'node:path';

/** Documents that the site shows. */
const PAGES = ['*.md', 'docs/**/*.md', 'bench/*.md'];

/** Lists the paths of the pages of the site. @param {string} root */
export function listPages(root) {
  return fs.globSync(PAGES, { cwd: root }).sort();
}

/**
 * Returns the text of a page with its links as the site needs them. Links to files that are no pages lead to `source`, or become plain text
 * where that is not known.
 * @param {string} page
 * @param {string} text
 * @param {{ readonly pages: ReadonlySet<string>, readonly root: string, readonly source?: string | undefined }} site
 */
export function adaptLinks(page, text, { pages, root, source }) {
  const parts = text.split(/(^```[\s\S]*?^```)/m);
  return parts
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replaceAll(
            /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s]+)\)/g,
            (all, image, label, link) => {
              const [file = '', anchor] = link.split('#');
              const target = path.posix
                .normalize(path.posix.join(path.posix.dirname(page), file))
                .replace(/\/$/, '');
              const found = [target, path.posix.join(target, 'README.md')].find((one) => pages.has(one));
              if (image !== '' || (found === target && target !== 'README.md')) {
                return all;
              }
              const suffix = anchor === undefined ? '' : `#${anchor}`;
              if (found !== undefined) {
                return `[${label}](/${found === 'README.md' ? '' : found}${suffix})`;
              }
              if (!fs.existsSync(path.join(root, target))) {
                throw new Error(`${page} links to ${link}, which is not there`);
              }
              return source === undefined ? label : `[${label}](${source}/${target}${suffix})`;
            },
          ),
    )
    .join('');
}
