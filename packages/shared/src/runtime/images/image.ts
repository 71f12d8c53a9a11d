import { type INPUT_IMAGE_REASONS, LIMITS } from '../../domain/contract/index.js';

/** Formats that the gateway accepts and delivers. */
export type ImageFormat = 'png' | 'jpeg' | 'webp';

/** Image whose bytes are one complete image. */
export interface Image {
  readonly bytes: Buffer;
  readonly contentType: 'image/png' | 'image/jpeg' | 'image/webp';
  readonly extension: 'png' | 'jpg' | 'webp';
  readonly width: number;
  readonly height: number;
}

/** Properties of an image that decide how much memory its decoder takes. */
export interface ImageHeader {
  readonly format: ImageFormat;
  readonly width: number;
  readonly height: number;
  /** Bytes of a decoded pixel. */
  readonly pixelBytes: number;
  /** Bytes a pixel that the decoder must hold of the whole image at once; 0 when it works row by row. */
  readonly wholePixelBytes: number;
  /** True for compressed texts and colour profiles that would cost more than pixels do; they are left out of a decoding. */
  readonly hasCostlyMetadata: boolean;
}

/** Content type and file extension of a format. */
export const NAMES = {
  png: { contentType: 'image/png', extension: 'png' },
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  webp: { contentType: 'image/webp', extension: 'webp' },
} as const;

/**
 * Kind of defect: `not-an-image` is another format, `damaged` covers truncated and corrupt files, and images that made the
 * decoder fail.
 */
export type ImageDefect = 'not-an-image' | 'animated' | 'damaged' | 'too-large' | 'too-many-pixels';

/** Reasons of the public table by defect. */
export const IMAGE_FAULTS: Readonly<Record<ImageDefect, keyof typeof INPUT_IMAGE_REASONS>> = {
  'not-an-image': 'notAnImage',
  animated: 'animated',
  damaged: 'damaged',
  'too-large': 'tooLarge',
  'too-many-pixels': 'tooManyPixels',
};

/** Bytes from outside are not a valid image within the limits. */
export class ImageError extends Error {
  readonly defect: ImageDefect;

  constructor(defect: ImageDefect, options: { readonly cause?: unknown } = {}) {
    super(`the bytes are refused: ${defect}`, options);
    this.name = 'ImageError';
    this.defect = defect;
  }
}

/** Bounds of an image; all of them are checked before anything is decoded. */
export interface ImageLimits {
  readonly maxBytes: number;
  readonly maxPixels: number;
  /** Longest width or height in pixels. The decoder works in rows, and a row of a million pixels costs it gigabytes. */
  readonly maxSide: number;
  /** True when the checksums of a PNG suffice and only a doubtful one is decoded; false unless given. */
  readonly trustsChecksums?: boolean;
}

/** Bounds of an input image. */
export const INPUT_LIMITS: ImageLimits = {
  maxBytes: LIMITS.inputImageBytes,
  maxPixels: LIMITS.inputImagePixels,
  maxSide: LIMITS.inputImageSide,
};

/**
 * Bounds of delivered images: far above every size that can be requested, far below one that would harm this process. A PNG is
 * not decoded: that would cost more than all else that is done for an image.
 */
export const OUTPUT_LIMITS: ImageLimits = {
  maxBytes: 32 * 1024 * 1024,
  maxPixels: 40_000_000,
  maxSide: 16_384,
  trustsChecksums: true,
};
