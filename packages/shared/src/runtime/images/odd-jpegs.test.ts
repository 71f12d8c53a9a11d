import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { createValidator } from './create-validator.js';
import { createDecoder } from './decoder/create-decoder.js';
import { INPUT_LIMITS, OUTPUT_LIMITS } from './image.js';

const validate = createValidator({ decode: createDecoder() });
const read = (name: string): Buffer => readFileSync(join(import.meta.dirname, '../../../test/images', name));
const withRestarts = read('extraneous-before-rst.jpg');
const find = (bytes: Buffer, marker: number, from = 0): number =>
  bytes.indexOf(Buffer.from([0xff, marker]), from);
const insert = (bytes: Buffer, place: number, more: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, place), more, bytes.subarray(place)]);
const cutOut = (bytes: Buffer, from: number, to: number): Buffer =>
  Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
const adobe = (transform: number): Buffer =>
  Buffer.from([0xff, 0xee, 0, 14, ...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, transform]);

/** The same JPEG with a scan header as phones write it, another JFIF revision, and bytes between its segments. */
function spoilHeader(sound: Buffer): Buffer {
  const bytes = Buffer.from(sound);
  bytes[find(bytes, 0xe0) + 9] = 2;
  const scan = find(bytes, 0xda);
  bytes.fill(0, scan + 11, scan + 14);
  return insert(bytes, find(bytes, 0xc4), Buffer.alloc(9, 1));
}
/** A JPEG of a library that writes Adobe's segment instead of JFIF's. */
function replaceJfif(sound: Buffer, transform: number): Buffer {
  const start = find(sound, 0xe0);
  return insert(cutOut(sound, start, start + 18), 2, adobe(transform));
}
async function judge(bytes: Buffer): Promise<string[]> {
  const verdicts = [INPUT_LIMITS, OUTPUT_LIMITS].map((limits) =>
    validate(bytes, limits).then(
      (image) => (image.bytes === bytes ? 'taken' : 'changed'),
      (error: unknown) => String((error as { defect?: unknown }).defect),
    ),
  );
  return Promise.all(verdicts);
}

describe('a JPEG that decoders warn of', () => {
  const sound = read('jfif-2.jpg');
  const restart = find(withRestarts, 0xd2, 2_400);

  test.each([
    ['a scan header as phones write it', read('samsung-sos-params.jpg')],
    ['JFIF revision 0', read('jfif-0.jpg')],
    ['JFIF revision 2', read('jfif-2.jpg')],
    ['an unknown transform of Adobe', replaceJfif(sound, 9)],
    ['bytes before one restart marker', withRestarts],
    ['bytes before two restart markers', insert(withRestarts, restart, Buffer.alloc(12))],
    ['several oddities of its header', spoilHeader(sound)],
    ['several oddities, and bytes before a restart marker', spoilHeader(withRestarts)],
    [
      'several oddities, and bytes before the end',
      insert(spoilHeader(sound), spoilHeader(sound).length - 2, Buffer.alloc(7)),
    ],
  ])('a JPEG that decoders warn of is taken when no pixel is lost: %s', async (_what, bytes) => {
    await expect(sharp(bytes, { failOn: 'error' }).raw().toBuffer()).resolves.toBeDefined();
    expect(await judge(bytes)).toEqual(['taken', 'taken']);
  });

  const half = read('truncated-half-with-eoi.jpg');
  // The first warning is a harmless one, which hides those of the rows that are lost behind it.
  const odd = insert(withRestarts, restart, Buffer.alloc(12));
  const lost = find(odd, 0xd3, 9_000);
  const swapped = Buffer.from(odd);
  swapped[lost + 1] = 0xd5;
  test.each([
    ['half of its rows', half],
    ['half of its rows, and oddities of its header', spoilHeader(half)],
    ['an interval between restart markers', cutOut(odd, lost, find(odd, 0xd4, lost))],
    ['the intervals at its end', cutOut(odd, 9_000, odd.length - 2)],
    ['a restart marker, overwritten by another', swapped],
  ])('a JPEG that decoders warn of is refused when it has lost %s', async (_what, bytes) => {
    await expect(sharp(bytes, { failOn: 'error' }).raw().toBuffer()).resolves.toBeDefined();
    expect(await judge(bytes)).toEqual(['damaged', 'damaged']);
  });

  test('a JPEG that decoders warn of is judged by its own warnings while others are decoded', async () => {
    const sound = [withRestarts, half, spoilHeader(withRestarts), half];
    const verdicts = await Promise.all(Array.from({ length: 5 }, () => sound.map(judge)).flat());
    const expected = [true, false, true, false].map((taken) => Array(2).fill(taken ? 'taken' : 'damaged'));
    expect(verdicts).toEqual(Array.from({ length: 5 }, () => expected).flat());
  });
});
