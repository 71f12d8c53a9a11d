import type { AspectRatio, Resolution } from '@image-gateway/shared/contract';

/** Size of an image in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

const LONG_SIDE: Readonly<Record<Resolution, number>> = { '1k': 1280, '2k': 2560, '4k': 3840 };

/** Returns the size of an image: 1280×720, 2560×1440 or 3840×2160, upright for 9:16. */
export function getSize(aspectRatio: AspectRatio, resolution: Resolution): Size {
  const long = LONG_SIDE[resolution];
  const short = (long * 9) / 16;
  return aspectRatio === '16:9' ? { width: long, height: short } : { width: short, height: long };
}
