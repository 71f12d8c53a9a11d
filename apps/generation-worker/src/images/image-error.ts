/** Kind of defect: `not-an-image` covers other formats, animations, truncated and corrupt files, and what the decoder did not survive. */
export type ImageDefect = 'not-an-image' | 'too-large' | 'too-many-pixels';

/** Bytes from outside are not the image they should be. */
export class ImageError extends Error {
  readonly defect: ImageDefect;

  constructor(defect: ImageDefect, options: { readonly cause?: unknown } = {}) {
    super(`the bytes are refused: ${defect}`, options);
    this.name = 'ImageError';
    this.defect = defect;
  }
}
