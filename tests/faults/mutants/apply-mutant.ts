import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Mutant } from './mutant.js';

/** Puts a defect into a checkout; throws Error when a place is not there exactly once, so that no mutant is none. */
export function applyMutant(root: string, { name, edits }: Mutant): void {
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
  }
}
