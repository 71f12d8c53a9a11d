import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

const GZIP = Buffer.from('1f8b', 'hex');

/** Returns whether a `Content-Encoding` names a coding that `decodeBody` undoes. */
export function isEncoded(encoding: string | undefined): boolean {
  return /^(x-)?gzip$|^deflate$|^br$/i.test(encoding?.trim() ?? '');
}

/**
 * Decodes a body whose server compressed it although it was asked not to. Passes one through that only claims to be gzip.
 * No more is decoded than is read. Throws what the body throws, and an error of zlib for damaged data.
 */
export async function* decodeBody(body: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]();
  const { done, value: first } = await chunks.next();
  if (done) {
    return;
  }
  async function* whole(): AsyncGenerator<Buffer> {
    yield first;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      yield next.value;
    }
  }
  const decoder = createDecoder(encoding.trim().toLowerCase(), first);
  if (decoder === null) {
    yield* whole();
    return;
  }
  // The error of either part is thrown by the loop.
  pipeline(Readable.from(whole()), decoder, () => undefined);
  for await (const chunk of decoder) {
    yield chunk as Buffer;
  }
}

function createDecoder(encoding: string, first: Buffer): Transform | null {
  if (encoding === 'br') {
    return createBrotliDecompress();
  }
  if (encoding === 'deflate') {
    // Some servers leave out the frame of zlib (RFC 9110, 8.4.1.2).
    const hasFrame = ((first[0] ?? 0) & 0x0f) === 8 && (first.length < 2 || first.readUInt16BE(0) % 31 === 0);
    return hasFrame ? createInflate() : createInflateRaw();
  }
  return GZIP.subarray(0, first.length).equals(first.subarray(0, GZIP.length)) ? createGunzip() : null;
}
