import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Mutant } from './mutant.js';

/** Last migration of a checkout with a defect in a function of the database: it replaces the function with the one that has the defect. */
export const DEFECT_MIGRATION = 'prisma/migrations/99991231000000_defect';

/**
 * Puts a defect into a checkout; throws Error when a place is not there exactly once, so that no mutant is none. A function of the
 * database is changed in `prisma/functions`, since several migrations may define it and only the last one counts.
 */
export function applyMutant(root: string, { name, edits }: Pick<Mutant, 'name' | 'edits'>): void {
  const functions = new Set<string>();
  for (const { file, find, replace } of edits) {
    const target = path.join(root, file);
    const text = readFileSync(target, 'utf8');
    const places = text.split(find).length - 1;
    if (places !== 1) {
      throw new Error(`${name}: ${JSON.stringify(find)} stands ${places} times in ${file}`);
    }
    writeFileSync(
      target,
      text.replace(find, () => replace),
    );
    if (file.startsWith('prisma/functions/')) {
      functions.add(target);
    }
  }
  if (functions.size > 0) {
    const folder = path.join(root, DEFECT_MIGRATION);
    mkdirSync(folder, { recursive: true });
    const sql = [...functions].map((target) => readFileSync(target, 'utf8')).join('\n');
    writeFileSync(path.join(folder, 'migration.sql'), sql);
  }
}
