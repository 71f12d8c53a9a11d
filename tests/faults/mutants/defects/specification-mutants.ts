import { findHolder, readRows, readRuleMutants } from '../../../acceptance/support/specification-table.js';
import type { Mutant } from '../mutant.js';

/** Beginning of the names of these mutants. */
export const SPECIFICATION = 'specification/';

const rows = readRows();

/** Defects that make one rule of the specification false; the test that its row names must find each. */
export const specificationMutants: readonly Mutant[] = readRuleMutants().map(
  ({ section, rule, file, find, replace }) => {
    const row = rows.find((one) => one.section === section && one.rule === rule);
    const holder = findHolder(row ?? { heldBy: '' });
    return {
      name: `${SPECIFICATION}${section}: ${rule}`,
      defect: 'the rule is false',
      edits: [{ file, find, replace }],
      hunters: [holder.file],
      red: holder.title,
    };
  },
);
