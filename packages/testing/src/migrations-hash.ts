import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** What names a state of the migrations: the same files give the same 16 hexadecimal digits. */
export function migrationsHash(folder: string): string {
  const hash = createHash('sha256');
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'));
  for (const file of files.sort()) hash.update(`${file}\0`).update(fs.readFileSync(path.join(folder, file)));
  return hash.digest('hex').slice(0, 16);
}
