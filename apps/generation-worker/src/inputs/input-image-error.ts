import { type INPUT_IMAGE_REASONS, inputImageReason, type Reason } from '@image-gateway/shared/contract';

/** Fault of an input image, as named in the table of reasons. */
export type InputImageFault = keyof typeof INPUT_IMAGE_REASONS;

/** Error of an input image that cannot be used, now or later. */
export class InputImageError extends Error {
  /** Position in `image_urls`. */
  readonly index: number;
  /** Public reason. */
  readonly reason: Reason;

  constructor(index: number, fault: InputImageFault, options: { readonly cause?: unknown } = {}) {
    const reason = inputImageReason(index, fault);
    super(reason.text, options);
    this.name = 'InputImageError';
    this.index = index;
    this.reason = reason;
  }
}
