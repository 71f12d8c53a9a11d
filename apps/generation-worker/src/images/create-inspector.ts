import { fileTypeFromBuffer } from 'file-type';
import type { LimitFunction } from 'p-limit';
import sharp, { type SharpOptions } from 'sharp';
import { ImageFault } from './image-fault.js';
import { isScanSound } from './jpeg/is-scan-sound.js';
import { readScan } from './jpeg/read-scan.js';
import { tidyHeader } from './jpeg/tidy-header.js';

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
/** What the decoder of JPEG says about sound pictures: some bytes before the end, an unusual revision or colour transform. */
const HARMLESS =
  /^VipsJpeg: (Corrupt JPEG data: ([1-9]|1[0-6]) extraneous bytes before marker 0xd9|Warning: unknown JFIF revision.*|Unknown Adobe color transform.*)\s*$/;

/** Makes the inspector; it decodes on the threads of libuv, as many pictures at a time as the limit allows. */
export function createInspector({ limit }: { readonly limit: LimitFunction }): InspectPicture {
  return async (bytes, limits) => {
    if (bytes.length > limits.maxBytes) throw new ImageFault('too-large');
    const contentType = await sniff(bytes);
    const size = sizeOfPng(bytes, contentType) ?? (await limit(() => readSize(bytes)));
    if (size.width * size.height > limits.maxPixels) throw new ImageFault('too-many-pixels');
    const strict = contentType === 'image/jpeg' && (await refuseBrokenScan(bytes)) === 'not looked at';
    await limit(() => (strict ? decodeStrictly(bytes, size) : decode(bytes, contentType, size)));
    return { bytes, contentType, extension: EXTENSIONS[contentType], ...size };
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

interface Size {
  readonly width: number;
  readonly height: number;
}

const OPTIONS: SharpOptions = { failOn: 'error', limitInputPixels: false, sequentialRead: true };

/** A PNG begins with its size (ISO/IEC 15948, 11.2.2), which costs less to read than to have it read; null for what is odd. */
function sizeOfPng(bytes: Buffer, contentType: keyof typeof EXTENSIONS): Size | null {
  if (contentType !== 'image/png' || bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  return width > 0 && height > 0 ? { width, height } : null;
}

async function readSize(bytes: Buffer): Promise<Size> {
  const { width, height, pages = 1 } = await sharp(bytes, OPTIONS).metadata().catch(refuse);
  if (pages > 1) throw new ImageFault('not-an-image');
  return { width, height };
}

/** The decoder of JPEG paints something whatever the data says, so the codes of the common kind are checked by ourselves. */
async function refuseBrokenScan(bytes: Buffer): Promise<'sound' | 'not looked at'> {
  const scan = readScan(bytes);
  if (!scan) return 'not looked at';
  if (!(await isScanSound(bytes, scan))) throw new ImageFault('not-an-image');
  return 'sound';
}

/**
 * Decodes a JPEG of several scans (progressive ones above all), whose decoder has seen all of the data before it gives the
 * first row: what it warns of is garbage. What is odd about the header only touches no pixel.
 */
async function decodeStrictly(bytes: Buffer, size: Size): Promise<void> {
  try {
    await decode(tidyHeader(bytes), 'image/jpeg', size, 'warning');
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    if (!(cause instanceof Error && HARMLESS.test(cause.message))) throw error;
    await decode(bytes, 'image/jpeg', size);
  }
}

async function decode(
  bytes: Buffer,
  contentType: keyof typeof EXTENSIONS,
  { width, height }: Size,
  failOn: 'error' | 'warning' = 'error',
): Promise<void> {
  const source = sharp(bytes, { ...OPTIONS, failOn, limitInputPixels: width * height });
  // Every row has to be decoded to get at the last one, but only one is kept. A resize would not do: it lets the decoder
  // of JPEG skip what it does not need, and a truncated file goes through. WebP it always decodes whole, and the last row
  // alone would take 310 MB for 40 megapixels (measured), scaled down 40 MB.
  const small =
    contentType === 'image/webp'
      ? source.resize({ width: 64, height: 64, fit: 'inside' })
      : source.extract({ left: 0, top: height - 1, width, height: 1 });
  await small.raw().toBuffer().catch(refuse);
}

function refuse(cause: unknown): never {
  throw new ImageFault('not-an-image', { cause });
}
