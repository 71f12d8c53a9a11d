import { crc32, deflateSync } from 'node:zlib';

/** Shape of a PNG whose samples are all zero, so that it has hundreds of times fewer bytes than pixels. */
export interface PngShape {
  readonly width: number;
  readonly height: number;
  /** Bits of a sample, 8 or 16. */
  readonly depth: 8 | 16;
  readonly colour: 'rgb' | 'rgba';
  readonly interlaced?: boolean;
  /** Chunks between header and image data, as `pngChunk` builds them. */
  readonly chunks?: readonly Buffer[];
}

const START = Buffer.from('89504e470d0a1a0a', 'hex');
/** First column and row of each pass and the steps to the next (ISO/IEC 15948, 8.2). */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Builds a complete PNG of any shape, also of one that no encoder writes. */
export function buildPng({
  width,
  height,
  depth,
  colour,
  interlaced = false,
  chunks = [],
}: PngShape): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colour === 'rgba' ? 6 : 2, 0, 0, interlaced ? 1 : 0], 8);
  const pixelBytes = ((colour === 'rgba' ? 4 : 3) * depth) / 8;
  const countBytes = (columns: number, rows: number): number =>
    columns > 0 && rows > 0 ? rows * (1 + columns * pixelBytes) : 0;
  const length = interlaced
    ? PASSES.reduce(
        (sum, [x, y, dx, dy]) => sum + countBytes(Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)),
        0,
      )
    : countBytes(width, height);
  const data = deflateSync(Buffer.alloc(length), { level: 9 });
  return Buffer.concat([
    START,
    pngChunk('IHDR', header),
    ...chunks,
    pngChunk('IDAT', data),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Builds a chunk of a PNG. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

/** Builds a compressed text or colour profile that inflates to so many zeros. */
export function inflatingChunk(type: 'iCCP' | 'zTXt' | 'iTXt', inflatedBytes: number): Buffer {
  const start = { iCCP: 'x\0\0', zTXt: 'x\0\0', iTXt: 'x\0\x01\0\0\0' }[type];
  const data = deflateSync(Buffer.alloc(inflatedBytes), { level: 9 });
  return pngChunk(type, Buffer.concat([Buffer.from(start, 'latin1'), data]));
}
