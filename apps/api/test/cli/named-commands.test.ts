import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { listCommandNames } from './support/list-command-names.js';

const root = path.resolve(import.meta.dirname, '../../../..');
/** A call of the command line in a text: what stands before its words, and up to three words. */
const CALL = /(?:`|npx |--silent |--rm |-- |: |, )gateway (?:-- )?([a-z][a-z-]*(?: [a-z][a-z-]*){0,2})/g;

test('every command of the gateway that a document or a remedy names is a command', async () => {
  const names = await listCommandNames();
  const files = fs.globSync(['*.md', 'docs/**/*.md', '{apps,packages}/*/src/**/*.ts', 'deploy/**/*.yaml'], {
    cwd: root,
  });
  const called = files.flatMap((file) =>
    [...fs.readFileSync(path.join(root, file), 'utf8').matchAll(CALL)].map(([, words = '']) => ({
      file,
      words,
    })),
  );
  expect(called.length).toBeGreaterThan(100);
  expect(called.filter(({ words }) => !names.some((name) => `${words} `.startsWith(`${name} `)))).toEqual([]);
});
