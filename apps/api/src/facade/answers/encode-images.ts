import { Readable } from 'node:stream';
import type { FullTaskRow } from '@image-gateway/shared/db';

/** Stored image of a task. */
export type StoredImage = FullTaskRow['images'][number];

/** Opens an image; throws when it can't be read. */
export type OpenImage = (image: StoredImage) => Promise<Readable>;

/** Part of an answer: text, or an image that is written as base64. */
export type Piece = string | StoredImage;

/** Returns the length of an answer in bytes. */
export function measurePieces(pieces: readonly Piece[]): number {
  const lengths = pieces.map((piece) =>
    typeof piece === 'string' ? Buffer.byteLength(piece) : Math.ceil(piece.bytes / 3) * 4,
  );
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** Yields an answer piece by piece; one image is read at a time, a chunk at a time. */
export async function* encodePieces(pieces: readonly Piece[], open: OpenImage): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      yield Buffer.from(piece);
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
    { objectMode: false },
  );
  // Of a body that is never read, the generator never begins.
  return body.once('close', () => opened?.destroy());
}

async function* encodeBase64(bytes: Readable): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const joined: Buffer = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    // Three bytes are four characters; padding is allowed at the end only.
    const whole = joined.length - (joined.length % 3);
    rest = joined.subarray(whole);
    if (whole > 0) {
      yield Buffer.from(joined.toString('base64', 0, whole), 'latin1');
    }
  }
  if (rest.length > 0) {
    yield Buffer.from(rest.toString('base64'), 'latin1');
  }
}
