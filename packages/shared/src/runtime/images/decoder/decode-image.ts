import sharp, { type Sharp } from 'sharp';
import { ImageError, type ImageFormat, type ImageHeader } from '../image.js';
import { hasAllRestarts } from '../jpeg/has-all-restarts.js';
import { hasSoundScans } from '../jpeg/has-sound-scans.js';
import { tidyHeader } from '../jpeg/jpeg-header.js';
import { DECODER_OPTIONS } from '../read-header.js';
import { type DecoderTask, picksPixels } from './estimate-memory.js';

/** Encoded image that a decoder has made. */
export interface EncodedImage {
  readonly bytes: Buffer;
  readonly format: ImageFormat;
  readonly width: number;
  readonly height: number;
}

/** Longest side of an image for a provider: upstreams make no use of more. */
export const MAX_RESIZED_SIDE = 2_048;
/** Nine such images stay below the request limits of upstreams, and those of all tasks below the memory of a worker. */
export const MAX_RESIZED_BYTES = 2 * 1024 * 1024;
const QUALITY = 90;
/** Warnings of the JPEG decoder about sound images: some bytes before the end, and before a restart marker. */
const BYTES_BEFORE_END =
  /^VipsJpeg: Corrupt JPEG data: ([1-9]|1[0-6]) extraneous bytes before marker 0xd9\s*$/;
const BYTES_BEFORE_RESTART =
  /^VipsJpeg: Corrupt JPEG data: \d{1,2} extraneous bytes before marker 0xd[0-7]\s*$/;
const ONE_WARNING = /^VipsJpeg: [^\n]+\s*$/;
const MAX_LOOKS = 3;
/** End of the last strict decoding. Threads share one buffer of messages, so that only one of them may warn at a time. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Decodes an image: returns nothing for `validate`, and for `resize` the image upright, in sRGB, without metadata and small.
 * Throws ImageError for bytes that are no complete image.
 */
export async function decodeImage(
  task: DecoderTask,
  bytes: Buffer,
  header: ImageHeader,
): Promise<EncodedImage | null> {
  try {
    if (task === 'resize') {
      return await resize(bytes, header);
    }
    await (header.format === 'jpeg' ? validateJpeg(bytes, header) : readRows(bytes, header, 'error'));
    return null;
  } catch (cause) {
    throw new ImageError('damaged', { cause });
  }
}

/**
 * Decodes a JPEG with warnings as errors, because its decoder accepts any data and only warns of garbage. Oddities of the
 * header alone touch no pixel.
 */
async function validateJpeg(bytes: Buffer, header: ImageHeader): Promise<void> {
  const tidy = tidyHeader(bytes);
  const error = await findWarning(tidy, header);
  if (error === null) {
    return;
  }
  // A decoder tells the first warning only, so that nothing is known of the rows behind it.
  const { message } = error;
  const isSound =
    BYTES_BEFORE_END.test(message) ||
    (BYTES_BEFORE_RESTART.test(message) && hasAllRestarts(bytes)) ||
    (await hasSoundScans(tidy, (jpeg) => findWarning(jpeg, header)));
  if (!isSound) {
    throw error;
  }
  await readRows(bytes, header, 'error');
}

/** Returns the first warning or error of a JPEG, or null. Looks again when messages of another image are mixed with it. */
function findWarning(bytes: Buffer, header: ImageHeader): Promise<Error | null> {
  const found = turn.then(async () => {
    for (let look = 1; ; look += 1) {
      const error = await readRows(bytes, header, 'warning').then(() => null, toError);
      if (error === null || ONE_WARNING.test(error.message) || look === MAX_LOOKS) {
        return error;
      }
    }
  });
  turn = found;
  return found;
}

const toError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

async function readRows(bytes: Buffer, header: ImageHeader, failOn: 'error' | 'warning'): Promise<void> {
  const { format, width, height } = header;
  const source = sharp(bytes, { ...DECODER_OPTIONS, failOn, limitInputPixels: width * height });
  // The last row needs every row before it, and only a part of them is held at a time. A resize would let the decoder of
  // JPEG skip data, so that a truncated file passes. WebP is always decoded whole; scaling it down takes half the memory.
  const small =
    format === 'webp'
      ? source.resize({ width: 64, height: 64, fit: 'inside' })
      : source.extract({ left: 0, top: height - 1, width, height: 1 });
  await small.raw().toBuffer();
}

async function resize(bytes: Buffer, header: ImageHeader): Promise<EncodedImage> {
  const source = sharp(bytes, DECODER_OPTIONS);
  const { hasAlpha } = await source.metadata();
  const kernel = picksPixels(header) ? 'nearest' : 'lanczos3';
  const box = { width: MAX_RESIZED_SIDE, height: MAX_RESIZED_SIDE, withoutEnlargement: true } as const;
  const small = source
    .autoOrient()
    .resize({ ...box, fit: 'inside', kernel })
    .toColourspace('srgb');
  const isSmall =
    Math.max(header.width, header.height) <= MAX_RESIZED_SIDE && bytes.length <= MAX_RESIZED_BYTES;
  if (hasAlpha || (header.format === 'png' && isSmall)) {
    const image = await encode(small.clone().png(), 'png');
    // A palette, say, can make a PNG grow.
    if (hasAlpha || image.bytes.length <= MAX_RESIZED_BYTES) {
      return image;
    }
  }
  return encode(small.jpeg({ quality: QUALITY }), 'jpeg');
}

async function encode(image: Sharp, format: 'png' | 'jpeg'): Promise<EncodedImage> {
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  return { bytes: data, format, width: info.width, height: info.height };
}
