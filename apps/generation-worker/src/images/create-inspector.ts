import { fileTypeFromBuffer } from 'file-type';
import type { LimitFunction } from 'p-limit';
import sharp, { type SharpOptions } from 'sharp';
import { ImageFault } from './image-fault.js';

/** A picture whose bytes have been decoded once to their last row. */
export interface Picture {
  readonly bytes: Buffer;
  readonly contentType: 'image/png' | 'image/jpeg' | 'image/webp';
  readonly extension: 'png' | 'jpg' | 'webp';
  readonly width: number;
  readonly height: number;
}

/** Bounds of a picture; pixels are counted before anything is decoded. */
export interface PictureLimits {
  readonly maxBytes: number;
  readonly maxPixels: number;
}

/** Looks at bytes from outside; throws ImageFault for all that is not one complete PNG, JPEG or WebP picture within the limits. */
export type InspectPicture = (bytes: Buffer, limits: PictureLimits) => Promise<Picture>;

const EXTENSIONS = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;
const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex');
const JPEG_SCAN = Buffer.from('ffda', 'hex');
const JPEG_END = Buffer.from('ffd9', 'hex');

/** Makes the inspector; it decodes on the threads of libuv, as many pictures at a time as the limit allows. */
export function createInspector({ limit }: { readonly limit: LimitFunction }): InspectPicture {
  return async (bytes, limits) => {
    if (bytes.length > limits.maxBytes) throw new ImageFault('too-large');
    const contentType = await sniff(bytes);
    const { width, height } = await limit(() => decode(bytes, contentType, limits.maxPixels));
    return { bytes, contentType, extension: EXTENSIONS[contentType], width, height };
  };
}

async function sniff(bytes: Buffer): Promise<keyof typeof EXTENSIONS> {
  const mime = (await fileTypeFromBuffer(bytes))?.mime;
  if (mime !== 'image/png' && mime !== 'image/jpeg' && mime !== 'image/webp')
    throw new ImageFault('not-an-image');
  if (!hasEnd(bytes, mime)) throw new ImageFault('not-an-image');
  return mime;
}

/** The decoder forgives a PNG or JPEG that lacks its end when no pixel is missing; a file that was cut is refused all the same. */
function hasEnd(bytes: Buffer, mime: keyof typeof EXTENSIONS): boolean {
  if (mime === 'image/png') return bytes.includes(PNG_END);
  // Inside a scan the two bytes of the end cannot stand beside each other; what follows the end is nobody's business.
  return mime === 'image/webp' || bytes.includes(JPEG_END, Math.max(0, bytes.indexOf(JPEG_SCAN)));
}

async function decode(
  bytes: Buffer,
  contentType: keyof typeof EXTENSIONS,
  maxPixels: number,
): Promise<{ width: number; height: number }> {
  const options: SharpOptions = { failOn: 'error', limitInputPixels: false, sequentialRead: true };
  const { width, height, pages = 1 } = await sharp(bytes, options).metadata().catch(refuse);
  if (width * height > maxPixels) throw new ImageFault('too-many-pixels');
  if (pages > 1) throw new ImageFault('not-an-image');
  const source = sharp(bytes, { ...options, limitInputPixels: maxPixels });
  // Every row has to be decoded to get at the last one, but only one is kept. A resize would not do: it lets the decoder
  // of JPEG skip what it does not need, and a truncated file goes through. WebP it always decodes whole, and the last row
  // alone would take 310 MB for 40 megapixels (measured), scaled down 40 MB.
  const small =
    contentType === 'image/webp'
      ? source.resize({ width: 64, height: 64, fit: 'inside' })
      : source.extract({ left: 0, top: height - 1, width, height: 1 });
  await small.raw().toBuffer().catch(refuse);
  return { width, height };
}

function refuse(cause: unknown): never {
  throw new ImageFault('not-an-image', { cause });
}
