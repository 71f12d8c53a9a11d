import { LIMITS } from '@image-gateway/shared/contract';
import type { PictureLimits } from './create-inspector.js';

/** Bounds of an input image. */
export const INPUT_LIMITS: PictureLimits = {
  maxBytes: LIMITS.inputImageBytes,
  maxPixels: LIMITS.inputImagePixels,
};

/** Bounds of what a provider delivers: far above every size that can be asked for, far below what would hurt this process. */
export const OUTPUT_LIMITS: PictureLimits = { maxBytes: 32 * 1024 * 1024, maxPixels: 40_000_000 };
