import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const folder = fileURLToPath(new URL('./', import.meta.url));

interface Row {
  rule: string;
  heldBy: string;
}

const rows: Row[] = readFileSync(`${folder}specification.md`, 'utf8')
  .split('\n')
  .filter((line) => /^\|(?! *(?:The specification says|-))/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, rule = '', heldBy = '']) => ({ rule, heldBy }));

/** `file › title` of every test and describe in this folder. */
const titles = new Set(
  readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .flatMap((name) =>
      titlesIn(readFileSync(folder + name, 'utf8')).map(
        (title) => `${name.replace('.test.ts', '')} › ${title}`,
      ),
    ),
);

// The first argument of test(…), describe(…), or of what test.each(…) gives.
function titlesIn(source: string): string[] {
  return [...source.matchAll(/(?:\b(?:test|describe)|\))\(\s*(['"`])((?:\\.|(?!\1).)+)\1/gs)].map(
    ([, , title = '']) => title,
  );
}

describe('the table of the specification', () => {
  test('has a row for every rule, and each row names a test or says why there is none', () => {
    expect(rows.length).toBeGreaterThan(70);
    const unclear = rows.filter(
      ({ rule, heldBy }) => rule === '' || !/^none: .{20,}|^[a-z-]+ › ./.test(heldBy),
    );
    expect(unclear).toEqual([]);
  });

  test.each(rows.filter(({ heldBy }) => !heldBy.startsWith('none:')))(
    'names a test that exists: $rule',
    ({ heldBy }) => {
      expect(titles).toContain(heldBy);
    },
  );
});
