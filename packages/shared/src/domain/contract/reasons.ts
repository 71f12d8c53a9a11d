/** Classes of failures, as the column `tasks.failure` has them; `operator` is for an operator's own text. */
export const FAILURE_CLASSES = [
  'moderation',
  'refused_input',
  'upstream',
  'deadline',
  'canceled',
  'internal',
  'input_image',
  'operator',
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** Why a task failed: the class, by which rules decide, and the words that its owner reads. */
export interface Reason {
  readonly failure: FailureClass;
  readonly text: string;
}

/**
 * The fixed table of reasons that a failed task may give; an operator's own text, `image_urls[i]: …` and `mask: …` are the only
 * others.
 */
export const REASONS = {
  moderation: { failure: 'moderation', text: 'The request was rejected by content moderation.' },
  refusedInput: { failure: 'refused_input', text: 'The upstream provider refused the input.' },
  upstream: { failure: 'upstream', text: 'The upstream provider failed.' },
  deadline: { failure: 'deadline', text: 'The task was not finished in time.' },
  canceled: { failure: 'canceled', text: 'The task was canceled.' },
  internal: { failure: 'internal', text: 'An internal error occurred.' },
} as const satisfies Readonly<Record<string, Reason>>;

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
export function inputImageReason(index: number, why: keyof typeof INPUT_IMAGE_REASONS): Reason {
  return { failure: 'input_image', text: `image_urls[${index}]: ${INPUT_IMAGE_REASONS[why]}` };
}

/** Why the mask of an edit could not be used. */
export const MASK_REASONS = {
  ...INPUT_IMAGE_REASONS,
  noAlpha: 'must be a PNG or WebP with an alpha channel',
  otherSize: 'must have the size of the first image',
} as const;

/** Names the fault of a mask that a task failed on, such as `mask: is damaged`. */
export function maskReason(why: keyof typeof MASK_REASONS): Reason {
  return { failure: 'input_image', text: `mask: ${MASK_REASONS[why]}` };
}

/** The longest reason or error message in characters. */
export const MAX_REASON_LENGTH = 400;
