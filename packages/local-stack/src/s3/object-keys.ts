import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { S3Error } from './s3-error.js';

/** Suffix of objects. Names of folders and buckets never contain it, so the keys `a` and `a/b` can coexist. */
const SUFFIX = ',object';
const MAX_NAME_LENGTH = 255;

/** Returns the path of an object below the folder of its bucket: one folder for each part of the key, none of which leads outside. */
export function getObjectPath(key: string): string {
  const parts = key.split('/').map(encodePart);
  const last = `${parts.pop() ?? ''}${SUFFIX}`;
  if ([...parts, last].some((part) => part.length > MAX_NAME_LENGTH)) {
    throw new S3Error('KeyTooLongError', 'A part of the key is too long for the file system.');
  }
  return path.join(...parts, last);
}

/** Returns the part of a key for the name of a folder or, without its suffix, of a file. */
function decode(name: string): string {
  return name === '%' ? '' : decodeURIComponent(name);
}

function encodePart(part: string): string {
  return /^\.{1,2}$/.test(part) ? part.replaceAll('.', '%2E') : encodeURIComponent(part) || '%';
}

/** Yields the keys of a bucket with a prefix, in the order of the protocol; reads only matching folders. */
export async function* walkObjects(bucketFolder: string, prefix: string): AsyncGenerator<string> {
  const parts = prefix.split('/').slice(0, -1);
  // The prefix `a/b/c` matches names that begin with `c` in the folder `a/b`.
  const start = parts.length === 0 ? '' : path.dirname(getObjectPath(`${parts.join('/')}/`));
  const base = parts.map((part) => `${part}/`).join('');
  for await (const key of walk(path.join(bucketFolder, start), base)) {
    if (key.startsWith(prefix)) {
      yield key;
    }
  }

  async function* walk(folder: string, above: string): AsyncGenerator<string> {
    for (const { key, name, isFolder } of await listEntries(folder, above)) {
      if (!isFolder) {
        yield key;
      } else if (key.startsWith(prefix) || prefix.startsWith(key)) {
        yield* walk(path.join(folder, name), key);
      }
    }
  }
}

async function listEntries(folder: string, above: string) {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    // Missing, or removed by a concurrent request.
    if (error.code === 'ENOENT') {
      return [];
    }
    throw error;
  });
  const names = entries
    .filter((entry) => entry.isDirectory() || entry.name.endsWith(SUFFIX))
    .map((entry) => {
      const isFolder = entry.isDirectory();
      const last = isFolder ? `${decode(entry.name)}/` : decode(entry.name.slice(0, -SUFFIX.length));
      return { key: above + last, name: entry.name, isFolder };
    });
  return names.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}
