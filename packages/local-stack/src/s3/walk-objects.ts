import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { keyOfFile, keyOfFolder, objectPath } from './object-path.js';

/** The keys below a bucket's folder that begin with a prefix, in the order of the protocol; only folders on the way are read. */
export async function* walkObjects(bucketFolder: string, prefix: string): AsyncGenerator<string> {
  const parts = prefix.split('/').slice(0, -1);
  // `a/b/c` asks for names that begin with `c` in the folder `a/b`.
  const start = parts.length === 0 ? '' : path.dirname(objectPath(`${parts.join('/')}/`));
  const base = parts.map((part) => `${part}/`).join('');
  for await (const key of walk(path.join(bucketFolder, start), base)) {
    if (key.startsWith(prefix)) yield key;
  }

  async function* walk(folder: string, above: string): AsyncGenerator<string> {
    for (const { key, name, isFolder } of await namesOf(folder, above)) {
      if (!isFolder) yield key;
      else if (key.startsWith(prefix) || prefix.startsWith(key)) yield* walk(path.join(folder, name), key);
    }
  }
}

async function namesOf(folder: string, above: string) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException): Dirent[] => {
      // Nothing there, or removed while we walked.
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  const names = entries.flatMap((entry) => {
    const isFolder = entry.isDirectory();
    const last = isFolder ? `${keyOfFolder(entry.name)}/` : keyOfFile(entry.name);
    return last === null ? [] : [{ key: above + last, name: entry.name, isFolder }];
  });
  return names.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}
