/** Why bytes are no picture we take: `not-an-image` covers other formats, animations, truncated and corrupt files. */
export type ImageFaultKind = 'not-an-image' | 'too-large' | 'too-many-pixels';

/** Bytes that came from outside are not the picture they should be. */
export class ImageFault extends Error {
  readonly kind: ImageFaultKind;

  constructor(kind: ImageFaultKind, options: { readonly cause?: unknown } = {}) {
    super(`the bytes are refused: ${kind}`, options);
    this.name = 'ImageFault';
    this.kind = kind;
  }
}
