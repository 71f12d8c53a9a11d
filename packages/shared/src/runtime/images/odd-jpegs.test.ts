import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
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

interface Part {
  readonly marker: number;
  readonly start: number;
  readonly head: number;
  readonly end: number;
}
/** Lists the segments of a sound JPEG; `head` is where the data of a scan begins. */
function listParts(bytes: Buffer): Part[] {
  const parts: Part[] = [];
  for (let start = 2; bytes[start + 1] !== 0xd9; ) {
    const marker = bytes[start + 1] ?? 0;
    const head = start + 2 + bytes.readUInt16BE(start + 2);
    let end = head;
    while (marker === 0xda && (bytes[end] !== 0xff || bytes[end + 1] === 0)) {
      end += 1;
    }
    parts.push({ marker, start, head, end });
    start = end;
  }
  return parts;
}
/** Pixels that look like noise and are the same in every run. */
function drawNoise(width: number, height: number): Buffer {
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0, seed = 1; at < pixels.length; at += 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    pixels[at] = 96 + ((seed >> 16) % 64);
  }
  return pixels;
}

describe('a JPEG of several scans', () => {
  let sound: Buffer;
  let scans: Part[];
  let readRest: (part: Part) => { first: number; precision: number };
  beforeAll(async () => {
    const raw = { width: 160, height: 120, channels: 3 } as const;
    sound = await sharp(drawNoise(160, 120), { raw }).jpeg({ progressive: true, quality: 80 }).toBuffer();
    scans = listParts(sound).filter(({ marker }) => marker === 0xda);
    readRest = ({ head }) => ({ first: sound[head - 3] ?? 0, precision: (sound[head - 1] ?? 0) >> 4 });
  });
  const draw = (bytes: Buffer) => sharp(bytes, { failOn: 'error' }).raw().toBuffer();
  const insertAll = (more: Buffer): Buffer =>
    scans.reduceRight((bytes, { end }) => insert(bytes, end, more), sound);
  /** The JPEG with a scan that stands there twice, with its tables or alone. */
  const repeat = (scan: Part, from = scan.start): Buffer =>
    insert(sound, scan.end, sound.subarray(from, scan.end));
  const isRefinement = (scan: Part): boolean => readRest(scan).first > 0 && readRest(scan).precision > 0;

  test('a JPEG of several scans is taken with a few bytes behind any of them, behind all, and with padding', async () => {
    expect(scans.length).toBeGreaterThan(8);
    const odd = [
      ...scans.map(({ end }) => insert(sound, end, Buffer.from('a few bytes'))),
      insertAll(Buffer.alloc(12, 7)),
      insert(sound, scans[3]?.end ?? 0, Buffer.alloc(60)),
    ];
    const pixels = await draw(sound);
    for (const bytes of odd) {
      await expect(sharp(bytes, { failOn: 'warning' }).raw().toBuffer()).rejects.toThrow('extraneous bytes');
      expect((await draw(bytes)).equals(pixels)).toBe(true);
      expect(await judge(bytes)).toEqual(['taken', 'taken']);
    }
  });

  test('a JPEG of several scans is taken with one of them written twice, unless that is another picture', async () => {
    const pixels = await draw(sound);
    for (const scan of scans) {
      for (const bytes of [repeat(scan), repeat(scan, findTables(scan))]) {
        const isWhole = (await draw(bytes)).equals(pixels);
        expect(isWhole).toBe(!isRefinement(scan));
        expect(await judge(bytes)).toEqual(Array(2).fill(isWhole ? 'taken' : 'damaged'));
      }
    }
  });
  const findTables = (scan: Part): number => {
    const parts = listParts(sound);
    const before = parts[parts.findIndex(({ start }) => start === scan.start) - 1];
    return before?.marker === 0xc4 && scan !== scans[0] ? before.start : scan.start;
  };

  test('a JPEG of several scans is refused when one has lost bytes, or has more behind it than can be surplus', async () => {
    // Codes of the last scan that are lost can look like others: no decoder notices these.
    const cut = scans.slice(0, -1).map(({ head, end }) => {
      const middle = Math.floor((head + end) / 2);
      return cutOut(sound, middle, Math.min(middle + 40, end - 2));
    });
    const garbage = Buffer.from(Array.from({ length: 90 }, (_, at) => (at * 37 + 11) % 251));
    const damaged = [...cut, ...scans.map(({ end }) => insert(sound, end, garbage))];
    for (const bytes of damaged) {
      expect(await judge(bytes)).toEqual(['damaged', 'damaged']);
    }
  });
});
