import type { Resolution } from './limits.js';

/** Width and height of 16:9 for each resolution. */
export type LandscapeSizes = Readonly<Record<Resolution, readonly [number, number]>>;

/** Nominal long side of each resolution, in pixels. */
export const NOMINAL_SIDES: Readonly<Record<Resolution, number>> = { '1k': 1024, '2k': 2048, '4k': 4096 };

/** Sizes of the named models; models for private hardware are trained near the first one too. */
export const NATIVE_SIZES: LandscapeSizes = { '1k': [1376, 768], '2k': [2752, 1536], '4k': [5504, 3072] };

/** Sizes for OpenAI, which accepts multiples of 16 up to 3840x2160. */
export const OPENAI_SIZES: LandscapeSizes = { '1k': [1536, 864], '2k': [2560, 1440], '4k': [3840, 2160] };

/** Sizes of the sandbox. */
export const SANDBOX_SIZES: LandscapeSizes = { '1k': [1280, 720], '2k': [2560, 1440], '4k': [3840, 2160] };
