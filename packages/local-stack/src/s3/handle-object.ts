import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { FileStore } from './create-file-store.js';
import type { Declared, OpenObject } from './object-file.js';
import { S3Error } from './s3-error.js';

/** Request whose signature is valid, for one object. */
export interface ObjectRequest {
  readonly store: FileStore;
  readonly bucket: string;
  readonly key: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Request headers that come back with the object, beside the user's own metadata. */
const KEPT_HEADERS = new Set([
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
]);

/** Stores the body as an object. */
export async function putObject({ store, bucket, key, request, response }: ObjectRequest): Promise<void> {
  const { headers } = request;
  const kept = Object.entries(headers).filter(
    ([name]) => KEPT_HEADERS.has(name) || name.startsWith('x-amz-meta-'),
  );
  const { md5 } = await store.put({
    bucket,
    key,
    content: request,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    declared: readDeclared(headers),
    onlyNew: headers['if-none-match'] === '*',
  });
  response.writeHead(200, { etag: `"${md5}"`, 'content-length': 0 }).end();
}

/** Reads what a request declares about its body; an encoding that has to be undone is refused. */
export function readDeclared(headers: IncomingMessage['headers']): Declared {
  const { 'content-length': length, 'content-md5': md5, 'x-amz-content-sha256': sha256 } = headers;
  if (String(sha256).startsWith('STREAMING-')) {
    throw new S3Error('NotImplemented', 'This server takes bodies as they are, not in signed chunks.');
  }
  const declared: { bytes?: number; md5?: string; sha256?: string } = {};
  if (length !== undefined) {
    declared.bytes = Number(length);
  }
  if (typeof md5 === 'string') {
    declared.md5 = md5;
  }
  if (typeof sha256 === 'string' && /^[0-9a-f]{64}$/i.test(sha256)) {
    declared.sha256 = sha256;
  }
  return declared;
}

/** Sends an object, or the part of it that the request names; no body for HEAD. */
export async function getObject({ store, bucket, key, request, response }: ObjectRequest): Promise<void> {
  const found = await store.open(bucket, key);
  if (found === null) {
    throw new S3Error('NoSuchKey', 'There is no object with this key.');
  }
  let isHanded = false;
  try {
    const { bytes } = found.head;
    const range = readRange(request.headers.range, bytes);
    const { start, end } = range ?? { start: 0, end: bytes - 1 };
    response.writeHead(range ? 206 : 200, {
      ...presentObject(found),
      'content-length': end - start + 1,
      ...(range ? { 'content-range': `bytes ${start}-${end}/${bytes}` } : {}),
    });
    if (request.method === 'HEAD' || end < start) {
      response.end();
      return;
    }
    isHanded = true;
    await pipeline(found.file.createReadStream({ start, end }), response);
  } finally {
    // A stream closes the file at its own end.
    if (!isHanded) {
      await found.file.close();
    }
  }
}

function presentObject({ head, modified }: OpenObject): Record<string, string> {
  return {
    'content-type': 'binary/octet-stream',
    ...head.headers,
    'accept-ranges': 'bytes',
    etag: `"${head.md5}"`,
    'last-modified': modified.toUTCString(),
  };
}

/** Reads a range of bytes; null for none and, as HTTP wants it, for one that is malformed. */
function readRange(header: string | undefined, bytes: number): { start: number; end: number } | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') {
    return null;
  }
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (start > end) {
    throw new S3Error('InvalidRange', 'The range is outside of the object.');
  }
  return { start, end };
}
