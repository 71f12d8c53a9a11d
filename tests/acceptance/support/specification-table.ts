import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Row of a table: a rule of the specification or a further promise of the product, and the test that holds it. */
export interface Row {
  readonly section: string;
  readonly rule: string;
  /** `file › title`, or `none: why`. */
  readonly heldBy: string;
}

/** Line that makes a rule false, so that the test that holds it must be red. */
export interface RuleMutant extends Pick<Row, 'section' | 'rule'> {
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

const folder = fileURLToPath(new URL('../', import.meta.url));

/** Reads the table of specification.md. */
export function readRows(): Row[] {
  return readFileSync(`${folder}specification.md`, 'utf8')
    .split(/^## /m)
    .slice(1)
    .flatMap((part) => {
      const [section = '', ...lines] = part.split('\n');
      return lines
        .filter((line) => /^\|(?! *(?:The specification says|The product promises|-))/.test(line))
        .map((line) => line.split('|').map((cell) => cell.trim()))
        .map(([, rule = '', heldBy = '']) => ({ section, rule, heldBy }));
    });
}

/** Reads the mutants of the rows. */
export function readRuleMutants(): RuleMutant[] {
  return JSON.parse(readFileSync(`${folder}specification-mutants.json`, 'utf8')) as RuleMutant[];
}

/** Returns the path of the test file and the title that a row names; a file of this folder goes by its name alone. */
export function findHolder({ heldBy }: Pick<Row, 'heldBy'>): {
  readonly file: string;
  readonly title: string;
} {
  const [name = '', title = ''] = heldBy.split(' › ');
  return { file: `${name.includes('/') ? '' : 'tests/acceptance/'}${name}.test.ts`, title };
}
