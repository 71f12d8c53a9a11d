import { invalidField } from './field-error.js';
import { type ImageSize, readUploadHead } from './find-image-size.js';
import type { InputImage } from './store-inputs.js';

/**
 * Checks that a mask is a PNG or WebP image with alpha. It must be as large as the first image, where the size of that is
 * known. Pixels as stored and as shown count: the mask is turned with its image. Throws FieldError.
 */
export async function checkMask({ upload }: InputImage, first: ImageSize | null): Promise<void> {
  const mask = upload ? await readUploadHead(upload.body) : null;
  if (!mask?.hasAlpha) {
    throw invalidField(
      'mask',
      'mask must be a PNG or WebP image with an alpha channel: what is fully transparent is drawn anew.',
    );
  }
  if (first === null) {
    return;
  }
  const isEqual = mask.width === first.width && mask.height === first.height;
  const isUpright = first.isTurned !== false && mask.width === first.height && mask.height === first.width;
  if (!isEqual && !isUpright) {
    throw invalidField(
      'mask',
      `mask must have the size of the first image: ${first.width} × ${first.height} pixels, not ${mask.width} × ${mask.height}.`,
    );
  }
}
