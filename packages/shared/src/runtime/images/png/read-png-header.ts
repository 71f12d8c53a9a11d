import { ImageError, type ImageHeader } from '../image.js';
import { isCompressedMetadata } from './drop-compressed-metadata.js';

/** Samples of a pixel by colour type (ISO/IEC 15948, 11.2.2) once the decoder has looked its palette up. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 3, 4: 2, 6: 4 };
const HAS_ALPHA = 4;
/** Usual colour profiles have 3 KB; 1 KB can inflate to 1 MB, which the decoder does in memory. */
const MAX_COMPRESSED_BYTES = 32 * 1024;
/** Four times what 32 MiB of image data in pieces of 8 KiB have; a walk through them takes a millisecond. */
const MAX_CHUNKS = 16_384;

/**
 * Reads the chunks of a PNG without decoding any. Throws ImageError when it does not begin as a PNG has to, is animated, or has
 * more chunks than any image needs.
 */
export function readPngHeader(bytes: Buffer): ImageHeader {
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR') {
    throw new ImageError('damaged');
  }
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const [depth = 0, colour = 0] = bytes.subarray(24);
  const channels = CHANNELS[colour];
  if (width === 0 || height === 0 || channels === undefined) {
    throw new ImageError('damaged');
  }
  const { hasTransparency, isAnimated, isCostly, hasTooMany } = walkChunks(bytes);
  if (hasTooMany) {
    throw new ImageError('damaged');
  }
  if (isAnimated) {
    throw new ImageError('animated');
  }
  const hasAlphaToo = hasTransparency && (colour & HAS_ALPHA) === 0;
  const pixelBytes = (channels + (hasAlphaToo ? 1 : 0)) * (depth === 16 ? 2 : 1);
  const isInterlaced = bytes[28] !== 0;
  return {
    format: 'png',
    width,
    height,
    pixelBytes,
    wholePixelBytes: isInterlaced ? pixelBytes : 0,
    hasCostlyMetadata: isCostly,
  };
}

interface ChunkSummary {
  readonly hasTransparency: boolean;
  readonly isAnimated: boolean;
  readonly isCostly: boolean;
  readonly hasTooMany: boolean;
}

function walkChunks(bytes: Buffer): ChunkSummary {
  let hasTransparency = false;
  let isAnimated = false;
  let hasImageData = false;
  let compressedBytes = 0;
  let count = 0;
  for (let at = 8; at + 8 <= bytes.length && count <= MAX_CHUNKS; count += 1) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IEND') {
      break;
    }
    if (type === 'tRNS') {
      hasTransparency = true;
    }
    hasImageData ||= type === 'IDAT';
    // Behind the image data it counts for nothing, and one frame is a still image (PNG, third edition, 11.3.6.1).
    if (type === 'acTL' && length === 8 && !hasImageData && at + 12 <= bytes.length) {
      isAnimated ||= bytes.readUInt32BE(at + 8) > 1;
    }
    if (isCompressedMetadata(type)) {
      compressedBytes += length;
    }
    at += 12 + length;
  }
  const isCostly = compressedBytes > MAX_COMPRESSED_BYTES;
  return { hasTransparency, isAnimated, isCostly, hasTooMany: count > MAX_CHUNKS };
}
