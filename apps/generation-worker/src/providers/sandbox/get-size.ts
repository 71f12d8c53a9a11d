import { type AspectRatio, type Resolution, SANDBOX_SIZES } from '@image-gateway/shared/contract';

/** Size of an image in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Pixels in a row of the buffer, three bytes each. */
export interface RawImage extends Size {
  readonly data: Buffer;
}

/** Returns the size of an image, whose long side is 1280, 2560 or 3840 pixels. */
export function getSize(aspectRatio: AspectRatio, resolution: Resolution): Size {
  const [long] = SANDBOX_SIZES[resolution];
  const [width = 16, height = 9] = aspectRatio.split(':').map(Number);
  const scale = long / Math.max(width, height);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}
