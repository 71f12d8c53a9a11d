import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { createBody, measurePieces, type Piece, type StoredImage } from './encode-images.js';

const BYTES = Buffer.from(Array.from({ length: 1_000 }, (_, i) => (i * 7) % 256));
const image = (bytes: number) => ({ bytes }) as StoredImage;

/** Returns the body of an answer whose images come in chunks of these sizes, again and again. */
async function encode(pieces: readonly Piece[], sizes: readonly number[]): Promise<string> {
  const open = ({ bytes }: StoredImage) => {
    const chunks: Buffer[] = [];
    for (let at = 0, n = 0; at < bytes; n++) {
      const size = sizes[n % sizes.length] ?? 1;
      chunks.push(BYTES.subarray(at, Math.min(at + size, bytes)));
      at += size;
    }
    return Promise.resolve(Readable.from(chunks, { objectMode: true }));
  };
  const body = await createBody(pieces, open);
  return ((await body.toArray()) as string[]).join('');
}

describe('base64 of images', () => {
  test.each([[[1]], [[2]], [[3]], [[4]], [[1, 2]], [[2, 1, 1]], [[5, 1, 1]], [[64, 1, 3, 2]], [[1_000]]])(
    'base64 of images is the same however the store cuts them: %j',
    async (sizes) => {
      for (const length of [1, 2, 3, 4, 5, 100, 998, 999, 1_000]) {
        expect(await encode([image(length)], sizes)).toBe(BYTES.toString('base64', 0, length));
      }
    },
  );

  test('base64 of images stands between the other pieces, and is as long as it was announced', async () => {
    const pieces = ['', '{"b64_json":"', image(10), '"},', image(11), '"}'];
    const [first, second] = [BYTES.toString('base64', 0, 10), BYTES.toString('base64', 0, 11)];
    const text = await encode(pieces, [4]);
    expect(text).toBe(`{"b64_json":"${first}"},${second}"}`);
    expect(text).toHaveLength(measurePieces(pieces));
  });

  test('base64 of images frees each chunk of the store as soon as it is written', async () => {
    const chunks = Array.from({ length: 3 }, () => Buffer.allocUnsafeSlow(1_000).fill('x'));
    const open = () => Promise.resolve(Readable.from(chunks));
    const body = await createBody([image(3_000)], open);
    expect(((await body.toArray()) as string[]).join('')).toBe(Buffer.alloc(3_000, 'x').toString('base64'));
    expect(chunks.map(({ length }) => length)).toEqual([0, 0, 0]);
  });
});
