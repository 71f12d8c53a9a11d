import type { AspectRatio, Resolution } from '@image-gateway/shared/contract';

/** Size of an image in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

const LONG_SIDE: Readonly<Record<Resolution, number>> = { '1k': 1280, '2k': 2560, '4k': 3840 };

/** Returns the size of an image, whose long side is 1280, 2560 or 3840 pixels. */
export function getSize(aspectRatio: AspectRatio, resolution: Resolution): Size {
  const long = LONG_SIDE[resolution];
  const [width = 16, height = 9] = aspectRatio.split(':').map(Number);
  const scale = long / Math.max(width, height);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}
