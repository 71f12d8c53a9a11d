import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';
import { MUTANTS } from './all-mutants.js';

test.each(MUTANTS.flatMap(({ name, edits }) => edits.map((edit) => [name, edit] as const)))(
  'the mutant %s still finds the place that it changes',
  (_, { file, find, replace }) => {
    const text = readFileSync(path.join(repositoryRoot(), file), 'utf8');
    expect([text.split(find).length - 1, find === replace]).toEqual([1, false]);
  },
);

test('every hunter with a path is a test file that exists', () => {
  const hunters = new Set(MUTANTS.flatMap(({ hunters }) => hunters).filter((hunter) => hunter.includes('/')));
  const lost = [...hunters].filter(
    (hunter) => !hunter.endsWith('.test.ts') || !existsSync(path.join(repositoryRoot(), hunter)),
  );
  expect(lost).toEqual([]);
});

const FUNCTION = /CREATE (?:OR REPLACE )?FUNCTION .*?\$\$.*?\$\$/gs;

test('functions of the database are changed where they stand as they are, not in a migration that a later one may replace', () => {
  const changed = MUTANTS.flatMap(({ name, edits }) =>
    edits
      .filter(({ file }) => file.startsWith('prisma/migrations/'))
      .filter(({ file, find }) => {
        const text = readFileSync(path.join(repositoryRoot(), file), 'utf8');
        return [...text.matchAll(FUNCTION)].some(([body]) => body.includes(find.trim()));
      })
      .map(() => name),
  );
  expect(changed).toEqual([]);
});
