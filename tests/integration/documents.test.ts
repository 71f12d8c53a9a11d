import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

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

test.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'])(
  'every path that %s names exists',
  (document) => {
    const found = listPaths(fs.readFileSync(path.join(root, document), 'utf8'));
    expect(found.length).toBeGreaterThan(5);
    expect(found.filter((one) => !exists(document, one))).toEqual([]);
  },
);
