// npm run docs:build: the documents as a site with search, in .cache/docs-site/out. Its tools are installed for it alone.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeLlmsTxt } from './docs/llms-txt.mjs';
import { adaptLinks, listPages } from './docs/site-pages.mjs';
import { parseOptions } from './options/parse-options.mjs';

const ROOT = path.resolve(import.meta.dirname, '..');
const SITE = path.join(ROOT, '.cache/docs-site');

const USAGE = `Usage: npm run --silent docs:build -- [options]

Builds the site of the documents into .cache/docs-site/out. Fails for a link that leads nowhere.

  --source URL   address of the repository's files, such as https://git.example.com/image-gateway/blob/main,
                 for links to files that are no pages; these links are left out without it
  --base PATH    path of the site on its host (/)`;

const parsed = parseOptions(USAGE, { options: { source: { type: 'string' }, base: { type: 'string' } } });
/** @param {string} name @param {string} text */
function write(name, text) {
  const file = path.join(SITE, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

if (parsed !== null) {
  const { source, base = '/' } = parsed.values;
  const pages = listPages(ROOT);
  fs.mkdirSync(SITE, { recursive: true });
  for (const name of [
    '.vitepress',
    'docs',
    'bench',
    'out',
    'public',
    ...fs.globSync('*.md', { cwd: SITE }),
  ]) {
    fs.rmSync(path.join(SITE, name), { recursive: true, force: true });
  }
  for (const page of pages) {
    const text = fs.readFileSync(path.join(ROOT, page), 'utf8');
    write(page, adaptLinks(page, text, { pages: new Set(pages), root: ROOT, source }));
    // As it is, for readers of llms.txt.
    write(path.join('public', page), text);
  }
  const sections = JSON.parse(fs.readFileSync(path.join(ROOT, 'docs/.vitepress/sections.json'), 'utf8'));
  write('public/llms.txt', makeLlmsTxt(sections));
  for (const folder of ['docs/images', 'bench/results']) {
    fs.cpSync(path.join(ROOT, folder), path.join(SITE, folder), { recursive: true });
  }
  const tools = path.join(ROOT, 'docs/.vitepress');
  fs.cpSync(tools, path.join(SITE, '.vitepress'), { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) {
    fs.copyFileSync(path.join(tools, name), path.join(SITE, name));
  }
  const run = (/** @type {string} */ command, /** @type {string[]} */ ...given) => {
    const { status } = spawnSync(command, given, {
      cwd: SITE,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, DOCS_BASE: base },
    });
    if (status !== 0) {
      process.stderr.write('The site was not built.\n');
      process.exit(status ?? 1);
    }
  };
  run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error');
  run('node_modules/.bin/vitepress', 'build', '.', '--outDir', 'out');
}
