import sharp, { type SharpOptions } from 'sharp';
import { ImageError, type ImageFormat, type ImageHeader } from './image.js';
import { holdsWholeJpeg } from './jpeg/jpeg-header.js';
import { readPngHeader } from './png/read-png-header.js';

/** Options of every decoder; the limits of an image have been checked before. */
export const DECODER_OPTIONS: SharpOptions = {
  failOn: 'error',
  limitInputPixels: false,
  sequentialRead: true,
};

const PNG_START = Buffer.from('89504e470d0a1a0a', 'hex');
const JPEG_START = Buffer.from('ffd8ff', 'hex');
/** WebP works with 4 bytes a pixel, and with another 4 when the image is not made smaller while it is read. */
const WEBP_PIXEL_BYTES = 8;
/** Above this size the image is always made smaller while it is read: see `decode-image.ts`. */
const WEBP_SCALED_PIXELS = 4 * 2_048 * 2_048;

/** Reads the header of an image without decoding any pixel: takes less than a millisecond, and no memory to speak of. Throws ImageError. */
export async function readHeader(bytes: Buffer): Promise<ImageHeader> {
  switch (detectFormat(bytes)) {
    case 'png':
      return readPngHeader(bytes);
    case 'jpeg':
      return readJpegHeader(bytes);
    case 'webp':
      return readWebpHeader(bytes);
    case null:
      throw new ImageError('not-an-image');
  }
}

function detectFormat(bytes: Buffer): ImageFormat | null {
  if (startsWith(bytes, PNG_START)) {
    return 'png';
  }
  if (startsWith(bytes, JPEG_START)) {
    return 'jpeg';
  }
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isWebp ? 'webp' : null;
}

const startsWith = (bytes: Buffer, start: Buffer): boolean => bytes.subarray(0, start.length).equals(start);

async function readJpegHeader(bytes: Buffer): Promise<ImageHeader> {
  const { width, height, channels, chromaSubsampling, isProgressive } = await readMetadata(bytes);
  // The decoder keeps 2 bytes of every sample; 4:2:0 has half as many samples as pixels of three channels.
  const samples = chromaSubsampling === '4:2:0' ? 1.5 : channels;
  const isWhole = isProgressive || holdsWholeJpeg(bytes);
  return {
    format: 'jpeg',
    width,
    height,
    pixelBytes: channels,
    wholePixelBytes: isWhole ? 2 * samples : 0,
    hasCostlyMetadata: false,
  };
}

async function readWebpHeader(bytes: Buffer): Promise<ImageHeader> {
  const { width, height, channels, pages = 1 } = await readMetadata(bytes);
  if (pages > 1) {
    throw new ImageError('animated');
  }
  const isScaled = width * height > WEBP_SCALED_PIXELS;
  return {
    format: 'webp',
    width,
    height,
    pixelBytes: channels,
    wholePixelBytes: isScaled ? WEBP_PIXEL_BYTES / 2 : WEBP_PIXEL_BYTES,
    hasCostlyMetadata: false,
  };
}

const readMetadata = (bytes: Buffer) =>
  sharp(bytes, DECODER_OPTIONS)
    .metadata()
    .catch((cause: unknown) => {
      throw new ImageError('damaged', { cause });
    });
