import { crc32, deflateSync } from 'node:zlib';

const SIDE = 20_000;
const BITS_PER_BYTE = 8;
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

let made: Buffer | null = null;

/** A black PNG of 20,000 x 20,000 pixels in some 50 kB, which takes 400 MB at a byte a pixel. */
export function buildBombImage(): Buffer {
  made ??= makeBomb();
  return made;
}

function makeBomb(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  // One bit a pixel, grey.
  header[8] = 1;
  const rows = Buffer.alloc((SIDE / BITS_PER_BYTE + 1) * SIDE);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
