import fs from 'node:fs';
import path from 'node:path';
import { type Setting, sharedSettings } from '@image-gateway/shared/config';
import { LIMITS } from '@image-gateway/shared/contract';
import { upstreamSettings } from '@image-gateway/shared/upstreams';
import { expect, test } from '@jest/globals';
import { makeLlmsTxt } from '../../scripts/docs/llms-txt.mjs';
import { makeSettingNotes, makeSettingsPage } from '../../scripts/docs/settings-page.mjs';
import { adaptLinks, listPages } from '../../scripts/docs/site-pages.mjs';

const root = path.resolve(import.meta.dirname, '../..');
/** Folders that paths in the documents may start from. */
const BASES = [
  '',
  'apps',
  'packages',
  'apps/api/src',
  'apps/generation-worker/src',
  'apps/webhook-worker/src',
  'apps/dashboard/src',
  'packages/shared/src/domain',
  'packages/shared/src/runtime',
  'tests',
  'docs',
];
/** Made at run time, or outside of the repository. */
const ELSEWHERE =
  /^(\.data|\.cache|DATA_DIR|node_modules|\/|@|https?:|application|packages\/shared\/src\/domain\/db\/generated)/;

/** Lists the paths between backticks and in Markdown links. */
function listPaths(text: string): string[] {
  const prose = text.replaceAll(/```[\s\S]*?```/g, '');
  const quoted = [...prose.matchAll(/`([\w.@-]+(?:\/[\w.@-]+)+\/?)`/g)].map(([, found]) => found ?? '');
  const linked = [...prose.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, found]) => found ?? '');
  return [...quoted, ...linked].filter((one) => !ELSEWHERE.test(one));
}

function exists(document: string, found: string): boolean {
  const name = found.replace(/^shared\//, '').replace(/\/$/, '');
  const bases = [path.dirname(document), ...BASES];
  return bases.some((base) =>
    ['', '.ts', '.mjs'].some((extension) => fs.existsSync(path.join(root, base, name + extension))),
  );
}

const DOCUMENTS = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'];

test.each(DOCUMENTS)('every path that %s names exists', (document) => {
  const found = listPaths(fs.readFileSync(path.join(root, document), 'utf8'));
  expect(found.length).toBeGreaterThan(5);
  expect(found.filter((one) => !exists(document, one))).toEqual([]);
});

/** Lists the anchors that GitHub gives the headings of a document. */
function listAnchors(text: string): string[] {
  const headings = [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/^#{1,6} (.+)$/gm)];
  return headings.map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('every link between the documents leads to a file and to a heading of it', () => {
  const pages = fs
    .globSync(['*.md', 'docs/**/*.md', 'bench/*.md'], { cwd: root })
    .map((name) => [name, fs.readFileSync(path.join(root, name), 'utf8')] as const);
  expect(pages.length).toBeGreaterThan(30);
  const dead = pages.flatMap(([name, text]) =>
    [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].flatMap(
      ([, link = '']) => {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? name : path.join(path.dirname(name), file);
        if (!fs.existsSync(path.join(root, target))) {
          return [`${name}: ${link}`];
        }
        const isFound =
          anchor === undefined ||
          !target.endsWith('.md') ||
          listAnchors(fs.readFileSync(path.join(root, target), 'utf8')).includes(anchor);
        return isFound ? [] : [`${name}: ${link}`];
      },
    ),
  );
  expect(dead).toEqual([]);
});

// A log of all changes, and tables that a program writes.
const LONG = new Set(['CHANGELOG.md', 'docs/reliability-defects.md', 'docs/reliability-faults.md']);

test('no page has more than 3,500 words', () => {
  const pages = fs.globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'clients/*/README.md'], { cwd: root });
  const words = (page: string) => fs.readFileSync(path.join(root, page), 'utf8').trim().split(/\s+/).length;
  expect(pages.filter((page) => !LONG.has(page) && words(page) > 3_500)).toEqual([]);
});

test('docs/settings.md is what .env.example says; RECORD_INTERFACE=1 writes it', () => {
  const file = path.join(root, 'docs/settings.md');
  const page = makeSettingsPage(fs.readFileSync(path.join(root, '.env.example'), 'utf8'));
  if (process.env.RECORD_INTERFACE) {
    fs.writeFileSync(file, page);
  }
  expect(fs.readFileSync(file, 'utf8')).toBe(page);
});

test('the page of settings explains them as .env.example does; RECORD_INTERFACE=1 writes it', () => {
  const file = path.join(root, 'apps/api/src/system/generated/setting-notes.ts');
  const notes = makeSettingNotes(fs.readFileSync(path.join(root, '.env.example'), 'utf8'));
  if (process.env.RECORD_INTERFACE) {
    fs.writeFileSync(file, notes);
  }
  expect(fs.readFileSync(file, 'utf8')).toBe(notes);
});

test('every default that .env.example states is the default of the code', () => {
  const settings: Readonly<Record<string, Setting<unknown>>> = { ...upstreamSettings, ...sharedSettings };
  const stated = fs.readFileSync(path.join(root, '.env.example'), 'utf8').matchAll(/^# ([A-Z_\d]+)=(.+)$/gm);
  const said: Record<string, unknown> = {};
  const coded: Record<string, unknown> = {};
  for (const [, name = '', text = ''] of stated) {
    const setting = settings[name];
    if (setting?.fallback !== undefined) {
      said[name] = setting.parse(text);
      coded[name] = setting.fallback;
    }
  }
  expect(Object.keys(said).length).toBeGreaterThan(40);
  expect(said).toEqual(coded);
});

test('README.md tells how often and how long a webhook is tried', () => {
  const { fallback: delays } = sharedSettings.WEBHOOK_RETRY_SCHEDULE;
  const days = Math.round(delays.reduce((sum, seconds) => sum + seconds, 0) / 86_400);
  const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8');
  const [, times, span] = /are tried (\w+) times over (\w+) days/.exec(readme) ?? [];
  const [, tries, most] = /\| (\w+) tries, (\w+) days \|/.exec(readme) ?? [];
  const inWords = { 3: 'three', 10: 'ten' } as Readonly<Record<number, string>>;
  expect([times, span]).toEqual([inWords[delays.length + 1], inWords[days]]);
  expect([tries, most]).toEqual([times, span]);
});

test('README.md names the limits of the fields of a request as they are', () => {
  const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8');
  const read = (field: string): string =>
    new RegExp(`^\\| \`${field}\` \\|(.*)\\|$`, 'm').exec(readme)?.[1] ?? '';
  const count = (number: number) => `up to ${number.toLocaleString('en-US')} characters`;
  expect(read('prompt')).toContain(count(LIMITS.promptCharacters));
  expect(read('negative_prompt')).toContain(count(LIMITS.negativePromptCharacters));
  expect([read('image_urls').includes('at most nine'), LIMITS.inputImages]).toEqual([true, 9]);
});

test('llms.txt names the pages of the docs site; RECORD_INTERFACE=1 writes it', () => {
  const file = path.join(root, 'llms.txt');
  const sections = JSON.parse(fs.readFileSync(path.join(root, 'docs/.vitepress/sections.json'), 'utf8')) as {
    readonly title: string;
    readonly pages: readonly { readonly title: string; readonly file: string; readonly about: string }[];
  }[];
  const missing = sections.flatMap(({ pages }) =>
    pages.filter(({ file: page }) => !fs.existsSync(path.join(root, page))),
  );
  expect(missing).toEqual([]);
  if (process.env.RECORD_INTERFACE) {
    fs.writeFileSync(file, makeLlmsTxt(sections));
  }
  expect(fs.readFileSync(file, 'utf8')).toBe(makeLlmsTxt(sections));
});

test('links of the docs site lead to its pages, to files of the repository, or are refused', () => {
  const pages = new Set(listPages(root));
  const adapt = (text: string, source?: string) =>
    adaptLinks('docs/api.md', text, { pages, root, ...(source && { source }) });
  expect(adapt('[a](catalog.md#x) [b](clients/README.md) [c](../README.md#start) [d](https://x.test)')).toBe(
    '[a](catalog.md#x) [b](clients/README.md) [c](/#start) [d](https://x.test)',
  );
  expect(adapt('[e](clients) [f](../.env.example)', 'https://git.test/blob/main')).toBe(
    '[e](/docs/clients/README.md) [f](https://git.test/blob/main/.env.example)',
  );
  expect(adapt('[f](../.env.example) ```\n')).toBe('f ```\n');
  expect(() => adapt('[g](nothing.md)')).toThrow('docs/api.md links to nothing.md, which is not there');
});
