import path from 'node:path';
import S3Error from 's3rver/lib/models/error.js';

/** Neither a folder nor a bucket can have it in its name, so no key hides another (`a` and `a/b`). */
const SUFFIX = ',object';
const LONGEST_NAME = 255;

/** Where an object is kept below its bucket's folder: one folder for each part of the key, none of which leads outside. */
export function objectPath(key: string): string {
  const parts = key.split('/').map(nameOf);
  const last = `${parts.pop() ?? ''}${SUFFIX}`;
  if ([...parts, last].some((part) => part.length > LONGEST_NAME)) {
    throw new S3Error('KeyTooLongError', 'A part of the key is too long for the file system.');
  }
  return path.join(...parts, last);
}

/** The part of a key that a folder stands for. */
export function keyOfFolder(name: string): string {
  return name === '%' ? '' : decodeURIComponent(name);
}

/** The last part of the key that a file stands for; null for a file that is no object. */
export function keyOfFile(name: string): string | null {
  return name.endsWith(SUFFIX) ? keyOfFolder(name.slice(0, -SUFFIX.length)) : null;
}

function nameOf(part: string): string {
  if (part === '') return '%';
  if (part === '.' || part === '..') return part.replaceAll('.', '%2E');
  return encodeURIComponent(part);
}
