/**
 * The fixed table of reasons that a failed task may give; an operator's own text and `image_urls[i]: …` are the only others.
 * The function `is_caller_failure` of the database says by these texts which of them count for `MAX_FAILED_TASKS`.
 */
export const REASONS = {
  moderation: 'The request was rejected by content moderation.',
  refusedInput: 'The upstream provider refused the input.',
  upstream: 'The upstream provider failed.',
  deadline: 'The task was not finished in time.',
  canceled: 'The task was canceled.',
  internal: 'An internal error occurred.',
} as const;

/** Why an input image could not be used. */
export const INPUT_IMAGE_REASONS = {
  unreachable: 'could not be fetched',
  notAnImage: 'is not a PNG, JPEG or WebP image',
  animated: 'is animated',
  damaged: 'is damaged',
  tooLarge: 'is too large (at most 10 MiB)',
  tooManyPixels: 'has too many pixels (at most 40 megapixels and 16,384 a side)',
} as const;

/** Names the input image that a task failed on, such as `image_urls[2]: could not be fetched`. */
export function inputImageReason(index: number, why: keyof typeof INPUT_IMAGE_REASONS): string {
  return `image_urls[${index}]: ${INPUT_IMAGE_REASONS[why]}`;
}

/** The longest reason or error message in characters. */
export const MAX_REASON_LENGTH = 400;
