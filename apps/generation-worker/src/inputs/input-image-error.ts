import { type INPUT_IMAGE_REASONS, inputImageReason } from '@image-gateway/shared/contract';

/** Why an input image cannot be used, as the table of reasons names it. */
export type InputImageFault = keyof typeof INPUT_IMAGE_REASONS;

/** An input image cannot be used, now or later. */
export class InputImageError extends Error {
  /** Position in `image_urls`. */
  readonly index: number;
  /** For the customer. */
  readonly reason: string;

  constructor(index: number, fault: InputImageFault, options: { readonly cause?: unknown } = {}) {
    const reason = inputImageReason(index, fault);
    super(reason, options);
    this.name = 'InputImageError';
    this.index = index;
    this.reason = reason;
  }
}
