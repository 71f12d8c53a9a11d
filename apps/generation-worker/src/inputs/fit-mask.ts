import { DECODER_OPTIONS, type Image, readHeader } from '@image-gateway/shared/images';
import sharp from 'sharp';
import type { InputImage } from '../providers/port.js';
import { InputImageError } from './input-image-error.js';

/** Mask as it was given, and scaled like an input image. */
export interface GivenMask {
  readonly given: Image;
  readonly scaled: Image;
}

/** First input image as it was given, and as providers get it: upright and scaled. */
export interface MaskedImage {
  readonly source: Image;
  readonly image: Pick<InputImage, 'width' | 'height'>;
}

/** Number of the first orientation that exchanges width and height. */
const FIRST_LYING = 5;

/**
 * Turns and scales a mask with its image. A mask has the size of the image as it is stored, or as it is seen. Throws InputImageError for a
 * mask of another size, or without an alpha channel.
 */
export async function fitMask(
  { given, scaled }: GivenMask,
  { source, image }: MaskedImage,
): Promise<InputImage> {
  const { hasAlpha } = await sharp(scaled.bytes, DECODER_OPTIONS).metadata();
  if (!hasAlpha || given.contentType === 'image/jpeg') {
    throw InputImageError.fromMask('noAlpha');
  }
  const orientation = await readOrientation(source);
  const isSame = given.width === source.width && given.height === source.height;
  const isUpright =
    orientation >= FIRST_LYING && given.width === source.height && given.height === source.width;
  if (!isSame && !isUpright) {
    throw InputImageError.fromMask('otherSize');
  }
  const { width, height } = image;
  // The bytes are those of a decoder, or small, sound and without an orientation of their own.
  const turned = await turn(scaled.bytes, isSame ? orientation : 1);
  const bytes = await sharp(turned)
    .resize({ width, height, fit: 'fill', kernel: 'nearest' })
    .png({ compressionLevel: 3 })
    .toBuffer();
  return { bytes, contentType: 'image/png', width, height };
}

/** Reads how an image has to be turned to be upright; 1 where it is. */
async function readOrientation({ bytes }: Image): Promise<number> {
  const header = await readHeader(bytes);
  if (header.hasCostlyMetadata) {
    return 1;
  }
  return (await sharp(bytes, DECODER_OPTIONS).metadata()).orientation ?? 1;
}

/** Turns an image as an orientation of EXIF demands. */
async function turn(bytes: Buffer, orientation: number): Promise<Buffer> {
  if (orientation === 1) {
    return bytes;
  }
  const tagged = await sharp(bytes).withMetadata({ orientation }).png({ compressionLevel: 1 }).toBuffer();
  return sharp(tagged).autoOrient().png({ compressionLevel: 1 }).toBuffer();
}
