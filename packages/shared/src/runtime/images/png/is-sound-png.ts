import { constants, crc32, inflateSync } from 'node:zlib';

const SIGNATURE_BYTES = 8;
/** Length, type and CRC around the data of a chunk. */
const FRAME_BYTES = 12;
const HEADER_BYTES = 13;
/** Bit depths of each colour type (ISO/IEC 15948, 11.2.2). */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const PALETTE = 3;
/** A byte of deflate stands for this many at most. */
const MAX_INFLATION = 1_032;
/** Start of the image data that is inflated. */
const LOOK_BYTES = 4 * 1024;
const MAX_FILTER = 4;
/** Chunks that every decoder knows; one of another type with a capital letter means something that it may not pass over. */
const CRITICAL = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND']);

/**
 * Returns true for a PNG that a decoder would read to its last row, as far as its checksums tell. Checked are the fields of its
 * header, the order, length and CRC of each chunk, and its end. The image data must begin with rows and be long enough
 * for all of them. False means that only a decoder can tell.
 */
export function isSoundPng(bytes: Buffer): boolean {
  let idatBytes = 0;
  let firstIdat: Buffer | null = null;
  let hasPalette = false;
  let previous = '';
  for (let at = SIGNATURE_BYTES; at + FRAME_BYTES <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const end = at + FRAME_BYTES + length;
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (end > bytes.length || crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) {
      return false;
    }
    const isFirst = at === SIGNATURE_BYTES;
    if (isFirst !== (type === 'IHDR') || (isCritical(type) && !CRITICAL.has(type))) {
      return false;
    }
    if (type === 'PLTE') {
      hasPalette = firstIdat === null && length > 0 && length % 3 === 0;
    }
    if (type === 'IDAT') {
      if (firstIdat !== null && previous !== 'IDAT') {
        return false;
      }
      firstIdat ??= bytes.subarray(at + 8, end - 4);
      idatBytes += length;
    }
    if (type === 'IEND') {
      return length === 0 && firstIdat !== null && holdsRows(bytes, { firstIdat, idatBytes, hasPalette });
    }
    previous = type;
    at = end;
  }
  return false;
}

interface ImageData {
  readonly firstIdat: Buffer;
  readonly idatBytes: number;
  readonly hasPalette: boolean;
}

/** Returns true when the header is one that can be, and the image data begins with rows and may hold all of them. */
function holdsRows(bytes: Buffer, { firstIdat, idatBytes, hasPalette }: ImageData): boolean {
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const [depth = 0, colour = 0, compression, filter, interlace] = bytes.subarray(24, 29);
  const isUsual =
    bytes.readUInt32BE(SIGNATURE_BYTES) === HEADER_BYTES &&
    (DEPTHS[colour] ?? []).includes(depth) &&
    compression === 0 &&
    filter === 0 &&
    interlace === 0;
  if (!isUsual || (colour === PALETTE && !hasPalette)) {
    return false;
  }
  const rowBytes = 1 + Math.ceil((width * depth * (SAMPLES[colour] ?? 0)) / 8);
  return idatBytes * MAX_INFLATION >= rowBytes * height && beginsWithRows(firstIdat, rowBytes);
}

function beginsWithRows(firstIdat: Buffer, rowBytes: number): boolean {
  const look = firstIdat.subarray(0, LOOK_BYTES);
  try {
    const rows = inflateSync(look, {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: MAX_INFLATION * LOOK_BYTES,
    });
    for (let at = 0; at < rows.length; at += rowBytes) {
      if ((rows[at] ?? 0) > MAX_FILTER) {
        return false;
      }
    }
    return rows.length > 0;
  } catch {
    return false;
  }
}

const isCritical = (type: string): boolean => /^[A-Z]/.test(type);
