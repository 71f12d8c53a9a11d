import type { Dirent } from 'node:fs';
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

/** Returns the part of a key for a folder name. */
function decodeFolder(name: string): string {
  return name === '%' ? '' : decodeURIComponent(name);
}

/** Returns the last part of a key for a file name; null for a file that is no object. */
function decodeFile(name: string): string | null {
  return name.endsWith(SUFFIX) ? decodeFolder(name.slice(0, -SUFFIX.length)) : null;
}

function encodePart(part: string): string {
  if (part === '') {
    return '%';
  }
  if (part === '.' || part === '..') {
    return part.replaceAll('.', '%2E');
  }
  return encodeURIComponent(part);
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
  const entries = await readdir(folder, { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException): Dirent[] => {
      // Missing, or removed by a concurrent request.
      if (error.code === 'ENOENT') {
        return [];
      }
      throw error;
    },
  );
  const names = entries.flatMap((entry) => {
    const isFolder = entry.isDirectory();
    const last = isFolder ? `${decodeFolder(entry.name)}/` : decodeFile(entry.name);
    return last === null ? [] : [{ key: above + last, name: entry.name, isFolder }];
  });
  return names.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}
