import path from 'node:path';
import type { Bench } from './bench.js';
import { startApi } from './product.js';
import type { Program } from './start-program.js';

/** Starts the API of the checkout that `--beside` names, on a database; null without one. The schema is that of this checkout. */
export async function startOther(bench: Bench, databaseUrl: string): Promise<Program | null> {
  const folder = bench.flag('beside');
  return folder === undefined ? null : startApi({ ...bench, root: path.resolve(folder), databaseUrl });
}
