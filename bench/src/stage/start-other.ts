import path from 'node:path';
import type { Bench } from './bench.js';
import { startApi } from './product.js';
import type { Program } from './start-program.js';

/** The API of another checkout, and its database. */
export interface OtherProduct extends Program {
  readonly databaseUrl: string;
}

/** Starts the API of the checkout that `--beside` names, on a database with the schema of that checkout; null without one. */
export async function startOther(bench: Bench): Promise<OtherProduct | null> {
  const folder = bench.flag('beside');
  if (folder === undefined) {
    return null;
  }
  const root = path.resolve(folder);
  const databaseUrl = await bench.services.createDatabase(root);
  return { ...(await startApi({ ...bench, root, databaseUrl })), databaseUrl };
}
