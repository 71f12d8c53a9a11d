import {
  type INPUT_IMAGE_REASONS,
  inputImageReason,
  type MASK_REASONS,
  maskReason,
  type Reason,
} from '@image-gateway/shared/contract';

/** Fault of an input image, as named in the table of reasons. */
export type InputImageFault = keyof typeof INPUT_IMAGE_REASONS;

/** Fault of a mask, as named in the table of reasons. */
export type MaskFault = keyof typeof MASK_REASONS;

/** Error of an input image or a mask that cannot be used, now or later. */
export class InputImageError extends Error {
  /** Public reason. */
  readonly reason: Reason;

  private constructor(reason: Reason, cause: unknown) {
    super(reason.text, cause === undefined ? undefined : { cause });
    this.name = 'InputImageError';
    this.reason = reason;
  }

  /** Makes the error of an image by its position in `image_urls`. */
  static fromInput(index: number, fault: InputImageFault, cause?: unknown): InputImageError {
    return new InputImageError(inputImageReason(index, fault), cause);
  }

  /** Makes the error of a mask. */
  static fromMask(fault: MaskFault, cause?: unknown): InputImageError {
    return new InputImageError(maskReason(fault), cause);
  }
}
