import type { Seen } from './create-caller.js';
import type { ObjectInfo } from './object-store.js';
import { StorageError } from './storage-error.js';

const METADATA_PREFIX = 'x-amz-meta-';

/** Reads an object's facts from the headers of a HEAD or GET answer; a StorageError when it does not say the size. */
export function infoOfResponse({ response }: Seen): ObjectInfo {
  const headers = response?.headers ?? {};
  // A part of an object: `bytes 0-9/1234`.
  const total = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? headers['content-length'];
  if (total === undefined || !/^\d+$/.test(total)) {
    throw new StorageError({
      fault: 'answer',
      message: 'the answer names no size',
      status: response?.statusCode,
    });
  }
  const metadata = Object.entries(headers)
    .filter(([name]) => name.startsWith(METADATA_PREFIX))
    .map(([name, value]) => [name.slice(METADATA_PREFIX.length), String(value)] as const);
  return {
    bytes: Number(total),
    contentType: headers['content-type'] ?? 'application/octet-stream',
    etag: (headers.etag ?? '').replace(/^W\//, '').replaceAll('"', ''),
    metadata: Object.fromEntries(metadata),
    lastModified: new Date(headers['last-modified'] ?? 0),
  };
}
