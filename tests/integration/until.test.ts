import fs from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';

const root = repositoryRoot();
const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  version: string;
};
const PLACES = [
  '{apps,packages,tests,scripts,bench,clients}/**/*.{ts,tsx,mjs,sh,py}',
  'prisma/{schema.prisma,invariants.sql,functions/*.sql}',
  '{docker,deploy}/**/*',
];
const LEFT_OUT = new Set(['node_modules', 'dist', 'generated', '.cache']);
const SELF = path.relative(root, import.meta.filename);

const isBefore = (a: string, b: string): boolean => a.localeCompare(b, 'en', { numeric: true }) < 0;

/** Returns the lines whose marker names a release that is there already, or none. */
function findExpired(text: string, release: string): string[] {
  return text.split('\n').filter((line) => {
    const [, until] = /@until\b ?(\S*)/.exec(line) ?? [];
    return until !== undefined && !(/^\d+\.\d+\.\d+$/.test(until) && isBefore(release, until));
  });
}

function* listTexts(): Generator<[string, string]> {
  const files = fs.globSync(PLACES, { cwd: root, exclude: (name) => LEFT_OUT.has(path.basename(name)) });
  for (const file of files) {
    if (file !== SELF && fs.statSync(path.join(root, file)).isFile()) {
      yield [file, fs.readFileSync(path.join(root, file), 'utf8')];
    }
  }
}

test('a marked line expires with the release that its marker names, and a marker without a release at once', () => {
  const line = '// @until 0.5.0';
  expect(['0.4.0', '0.4.9', '0.5.0', '0.10.0', '1.0.0'].map((one) => findExpired(line, one).length)).toEqual([
    0, 0, 1, 1, 1,
  ]);
  expect(findExpired('// @until the next release\n// until 0.1.0', '0.4.0')).toEqual([
    '// @until the next release',
  ]);
});

test('nothing is left here of what this release or one before it was to drop', () => {
  const texts = [...listTexts()];
  expect(texts.filter(([, text]) => text.includes('@until')).length).toBeGreaterThan(0);
  expect(
    texts.flatMap(([file, text]) => findExpired(text, version).map((line) => `${file}: ${line.trim()}`)),
  ).toEqual([]);
});
