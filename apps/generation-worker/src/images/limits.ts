import { LIMITS } from '@image-gateway/shared/contract';

/** Bounds of an image; all of them are checked before anything is decoded. */
export interface ImageLimits {
  readonly maxBytes: number;
  readonly maxPixels: number;
  /** Longest width or height in pixels. The decoder works in rows, and a row of a million pixels costs it gigabytes. */
  readonly maxSide: number;
}

/** Bounds of an input image. */
export const INPUT_LIMITS: ImageLimits = {
  maxBytes: LIMITS.inputImageBytes,
  maxPixels: LIMITS.inputImagePixels,
  maxSide: LIMITS.inputImageSide,
};

/** Bounds of delivered images: far above every size that can be requested, far below one that would harm this process. */
export const OUTPUT_LIMITS: ImageLimits = {
  maxBytes: 32 * 1024 * 1024,
  maxPixels: 40_000_000,
  maxSide: 16_384,
};
