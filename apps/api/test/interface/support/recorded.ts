import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Returns the recorded form of a part of the interface, a file in `apps/api/test/interface/recorded`. With
 * `RECORD_INTERFACE=1` in the environment the present form is written there first: a change on purpose shows in the diff.
 */
export async function recorded(name: string, present: string): Promise<string> {
  const file = path.join(import.meta.dirname, '../recorded', name);
  if (process.env.RECORD_INTERFACE === '1') {
    await writeFile(file, `${present}\n`);
  }
  return (await readFile(file, 'utf8')).trimEnd();
}
