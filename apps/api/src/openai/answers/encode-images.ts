import { Readable } from 'node:stream';
import type { FullTaskRow } from '@image-gateway/shared/db';
import { freeChunk } from '../../http/framework/create-chunk-sender.js';
import { createTurns } from './create-turns.js';

/** Stored image of a task. */
export type StoredImage = FullTaskRow['images'][number];

/** Opens an image; throws when it can't be read. The chunks are the caller's, and are freed. */
export type OpenImage = (image: StoredImage) => Promise<Readable>;

/** Part of an answer: text, or an image that is written as base64. */
export type Piece = string | StoredImage;

/** Of all answers of the process: they share its event loop. */
const awaitTurn = createTurns();

/** Returns the length of an answer in bytes. */
export function measurePieces(pieces: readonly Piece[]): number {
  const lengths = pieces.map((piece) =>
    typeof piece === 'string' ? Buffer.byteLength(piece) : Math.ceil(piece.bytes / 3) * 4,
  );
  return lengths.reduce((sum, length) => sum + length, 0);
}

/**
 * Yields an answer piece by piece; one image is read at a time, a chunk at a time. Base64 stays text until it is written. As bytes outside
 * of the heap it would make V8 collect the whole heap about twice a second under load.
 */
export async function* encodePieces(pieces: readonly Piece[], open: OpenImage): AsyncGenerator<string> {
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      yield piece;
    } else {
      yield* encodeBase64(await open(piece));
    }
  }
}

/**
 * Creates the body of an answer. Its first image is opened at once, so that a store that does not answer is an error response and not
 * half of an answer.
 */
export async function createBody(pieces: readonly Piece[], open: OpenImage): Promise<Readable> {
  const first = pieces.find((piece) => typeof piece !== 'string');
  const opened = first && (await open(first));
  const body = Readable.from(
    encodePieces(pieces, async (image) => (image === first && opened ? opened : open(image))),
  );
  // Of a body that is never read, the generator never begins.
  return body.once('close', () => opened?.destroy());
}

/** Three bytes are four characters; padding is allowed at the end only. */
async function* encodeBase64(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const missing = rest.length === 0 ? 0 : 3 - rest.length;
    const first = Buffer.concat([rest, chunk.subarray(0, missing)]);
    if (first.length % 3 !== 0) {
      rest = first;
      continue;
    }
    const end = chunk.length - ((chunk.length - missing) % 3);
    rest = Buffer.from(chunk.subarray(end));
    await awaitTurn();
    const text = first.toString('base64') + chunk.toString('base64', missing, end);
    freeChunk(chunk);
    if (text !== '') {
      yield text;
    }
  }
  if (rest.length > 0) {
    yield rest.toString('base64');
  }
}
