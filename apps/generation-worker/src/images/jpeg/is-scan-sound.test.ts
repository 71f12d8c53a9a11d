import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import sharp from 'sharp';
import { isScanSound } from './is-scan-sound.js';
import { readScan } from './read-scan.js';

const isSound = async (bytes: Buffer): Promise<boolean | null> => {
  const scan = readScan(bytes);
  return scan && isScanSound(bytes, scan);
};
const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#000', noise } });

describe('the scan of a JPEG', () => {
  test('of any shape, subsampling and quality is sound as the encoder wrote it', async () => {
    const shape = fc.record({
      width: fc.integer({ min: 1, max: 70 }),
      height: fc.integer({ min: 1, max: 70 }),
      quality: fc.integer({ min: 1, max: 100 }),
      chromaSubsampling: fc.constantFrom('4:2:0', '4:4:4'),
      optimizeCoding: fc.boolean(),
      grey: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ width, height, grey, ...options }) => {
        const source = grey ? picture(width, height).grayscale() : picture(width, height);
        expect(await isSound(await source.jpeg(options).toBuffer())).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('is not looked at when there are several, or the bytes are none of a JPEG', async () => {
    expect(await isSound(await picture(64, 64).jpeg({ progressive: true }).toBuffer())).toBeNull();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        expect(await isSound(Buffer.from([0xff, 0xd8, 0xff, 0xdb, ...bytes]))).not.toBe(true);
      }),
    );
  });

  test('is too short, or too long by other than padding', async () => {
    const sound = await picture(640, 480).jpeg().toBuffer();
    const data = sound.subarray(0, sound.length - 2);
    const end = sound.subarray(-2);
    const with_ = (more: Buffer) => isSound(Buffer.concat([data, more, end]));
    expect(await isSound(Buffer.concat([data.subarray(0, -8), end]))).toBe(false);
    expect(await with_(Buffer.from('12345678'.repeat(100)))).toBe(true);
    expect(await with_(Buffer.from('12345678'.repeat(200)))).toBe(false);
    expect(await with_(Buffer.alloc(100_000, 1))).toBe(true);
  });
});

// In the usual tables: no difference to the block before (00), nothing else (1010).
const FLAT = '001010';
/** Bits as the bytes of a scan: ones fill the last byte, and a zero stands behind every 0xff. */
function pieceOf(bits: string): Buffer {
  const bytes = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.flatMap((byte) => (byte === '11111111' ? [0xff, 0] : [Number.parseInt(byte, 2)])));
}

/** A grey picture of 64×64, whose 64 blocks are all alike, with a restart marker after every ten of them. */
async function withRestarts(): Promise<{ header: Buffer; pieces: Buffer[] }> {
  const flat = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#808080' } })
    .toColourspace('b-w')
    .jpeg({ optimizeCoding: false })
    .toBuffer();
  const scan = flat.indexOf(Buffer.from([0xff, 0xda]));
  const interval = Buffer.from([0xff, 0xdd, 0, 4, 0, 10]);
  const header = Buffer.concat([flat.subarray(0, scan), interval, flat.subarray(scan, scan + 10)]);
  expect(flat.readUInt16BE(scan + 2)).toBe(8);
  const pieces = [10, 10, 10, 10, 10, 10, 4].map((blocks) => pieceOf(FLAT.repeat(blocks)));
  return { header, pieces };
}
const END = Buffer.from([0xff, 0xd9]);
const join = (header: Buffer, pieces: readonly Buffer[], numbers = [0, 1, 2, 3, 4, 5]): Buffer =>
  Buffer.concat([
    header,
    ...pieces.flatMap((piece, i) =>
      i === 0 ? [piece] : [Buffer.from([0xff, 0xd0 + (numbers[i - 1] ?? 0)]), piece],
    ),
    END,
  ]);

test('restart markers stand where they should, in their order', async () => {
  const { header, pieces } = await withRestarts();
  const sound = join(header, pieces);
  expect((await sharp(sound, { failOn: 'warning' }).stats()).entropy).toBe(0);
  expect(await isSound(sound)).toBe(true);
  expect(await isSound(join(header, pieces, [0, 1, 3, 2, 4, 5]))).toBe(false);
  expect(await isSound(join(header, pieces.slice(1)))).toBe(false);
  expect(await isSound(join(header, [Buffer.concat(pieces)]))).toBe(false);
});

test('a block has 64 coefficients and not one more, and no code that the tables do not name', async () => {
  const { header, pieces } = await withRestarts();
  const zeroRun = '11111111001';
  const first = (block: string) =>
    isSound(join(header, [pieceOf(block + FLAT.repeat(9)), ...pieces.slice(1)]));
  expect(await first(`00${zeroRun.repeat(3)}1010`)).toBe(true);
  expect(await first(`00${zeroRun.repeat(4)}`)).toBe(false);
  expect(await first(`001111111111111111`)).toBe(false);
});

test('a scan made to keep the thread busy does not: other work has its turn', async () => {
  const sound = await picture(2_000, 2_000).jpeg({ quality: 30 }).toBuffer();
  const scan = readScan(sound);
  const stuffed = Buffer.concat([
    sound.subarray(0, scan?.start),
    Buffer.from('ff00'.repeat(4_000_000), 'hex'),
    END,
  ]);
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await isSound(stuffed);
  await isSound(sound);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(20);
});
