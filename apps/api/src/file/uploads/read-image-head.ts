/** Properties of an image that its first bytes tell. */
export interface ImageHead {
  /** Pixels as they are stored. */
  readonly width: number;
  readonly height: number;
  /** True for an image that is shown on its side, so that width and height change places; null where its head does not tell. */
  readonly isTurned: boolean | null;
  readonly hasAlpha: boolean;
  readonly format: 'png' | 'jpeg' | 'webp';
}

/** Bytes from the start of an image that tell its size, unless large metadata stand in front of it. */
export const HEAD_BYTES = 256 * 1024;

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
/** Codes of errors of a read behind the end. */
const ENDS = new Set<unknown>(['ERR_OUT_OF_RANGE', 'ERR_BUFFER_OUT_OF_BOUNDS']);
const EXIF = 'Exif\0\0';
const ORIENTATION = 0x0112;

/**
 * Reads size, orientation and alpha of a PNG, JPEG or WebP image from its first bytes. Null for anything else, and where they do not reach.
 * Decodes nothing: the worker judges the image.
 */
export function readImageHead(bytes: Buffer): ImageHead | null {
  try {
    const head = readHead(bytes);
    return head !== null && head.width > 0 && head.height > 0 ? head : null;
  } catch (error) {
    if (ENDS.has((error as { readonly code?: unknown }).code)) {
      return null;
    }
    throw error;
  }
}

function readHead(bytes: Buffer): ImageHead | null {
  if (bytes.subarray(0, PNG.length).equals(PNG)) {
    return readPng(bytes);
  }
  if (bytes.readUInt16BE(0) === 0xffd8) {
    return readJpeg(bytes);
  }
  return readText(bytes, 0, 4) === 'RIFF' && readText(bytes, 8, 12) === 'WEBP' ? readWebp(bytes) : null;
}

function readPng(bytes: Buffer): ImageHead {
  const [width, height, color] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20), bytes.readUInt8(25)];
  let hasAlpha = color === 4 || color === 6;
  let isTurned = false;
  // A palette has its transparency in a chunk in front of the pixels.
  for (let at = 8; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const name = readText(bytes, at + 4, at + 8);
    if (name === 'IDAT') {
      break;
    }
    hasAlpha ||= name === 'tRNS';
    if (name === 'eXIf') {
      isTurned = isOnSide(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
    }
  }
  return { width, height, isTurned, hasAlpha, format: 'png' };
}

function readJpeg(bytes: Buffer): ImageHead {
  let isTurned = false;
  for (let at = 2; ; ) {
    const marker = bytes.readUInt8(at + 1);
    if (bytes.readUInt8(at) !== 0xff || marker === 0xff) {
      at += 1;
      continue;
    }
    // Frames begin with C0 to CF; C4, C8 and CC of them are tables.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      return { width, height, isTurned, hasAlpha: false, format: 'jpeg' };
    }
    const length = bytes.readUInt16BE(at + 2);
    if (marker === 0xe1 && readText(bytes, at + 4, at + 10) === EXIF) {
      isTurned = isOnSide(bytes.subarray(at + 10, at + 2 + length));
    }
    at += 2 + Math.max(2, length);
  }
}

function readWebp(bytes: Buffer): ImageHead | null {
  const kind = readText(bytes, 12, 16);
  if (kind === 'VP8X') {
    const flags = bytes.readUInt8(20);
    const [width, height] = [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
    // Metadata stand behind the pixels.
    const isTurned = (flags & 0x08) === 0 ? false : null;
    return { width, height, isTurned, hasAlpha: (flags & 0x10) !== 0, format: 'webp' };
  }
  if (kind === 'VP8L') {
    const bits = bytes.readUInt32LE(21);
    const [width, height] = [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    return { width, height, isTurned: false, hasAlpha: ((bits >>> 28) & 1) === 1, format: 'webp' };
  }
  if (kind !== 'VP8 ') {
    return null;
  }
  const [width, height] = [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  return { width, height, isTurned: false, hasAlpha: false, format: 'webp' };
}

/** Returns true for an orientation of EXIF that changes width and height. */
function isOnSide(tiff: Buffer): boolean {
  const isLittle = readText(tiff, 0, 2) === 'II';
  const read16 = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const count = read16(start);
  for (let index = 0; index < count; index++) {
    const at = start + 2 + 12 * index;
    if (read16(at) === ORIENTATION) {
      return read16(at + 8) >= 5 && read16(at + 8) <= 8;
    }
  }
  return false;
}

function readText(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('latin1', from, to);
}
