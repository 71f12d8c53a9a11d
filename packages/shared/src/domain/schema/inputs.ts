import { LIMITS, MAX_REASON_LENGTH, parseDay } from '../contract/index.js';
import { boundedText, parseCursor } from '../validation/index.js';
import {
  convert,
  integer,
  list,
  nullable,
  object,
  optional,
  type Shape,
  shape,
  text,
  withDefault,
  withMessage,
} from './shape.js';

/** Pages beyond this are refused; filters narrow a list down. */
const MAX_PAGE = 100_000;
const MAX_REFERENCE_LENGTH = 200;

/** Fields `page` and `per_page` of a query. */
export const pageFields = {
  page: withDefault(
    withMessage(integer({ minimum: 1, maximum: MAX_PAGE }), 'page must be an integer of at least 1.'),
    1,
  ),
  per_page: withDefault(
    withMessage(
      integer({ minimum: 1, maximum: LIMITS.perPageMax }),
      `per_page must be an integer from 1 to ${LIMITS.perPageMax}.`,
    ),
    LIMITS.perPageDefault,
  ),
};

/** Field `before` of a query: the place in a list that an earlier part named as the next. */
export const cursorField = optional(
  withMessage(
    convert(text({ minLength: 1 }), (given) => parseCursor(given) ?? undefined),
    '{{#label}} must be the next of an earlier part.',
  ),
);

/** Part of a list; `next` is the `before` of the next one, null at the end. */
export const part = <S extends Shape<unknown, unknown>>(item: S) =>
  object({ items: list(item), next: nullable(text()) });

/** Day of the calendar, such as `2026-01-31`. */
export const dayField = withMessage(
  convert(text({ minLength: 1 }), (given) => (parseDay(given) ? given : undefined)),
  '{{#label}} must be a day such as 2026-01-31.',
);

/** Field `reason` of a form: an operator says why. */
export const reasonField = withMessage(
  shape<string>(boundedText(MAX_REASON_LENGTH, { visible: true })),
  `Give a reason of 1 to ${MAX_REASON_LENGTH} characters, without NUL characters and unpaired surrogates.`,
);

/** Body with the reason of a change. */
export const reasonBody = object({ reason: reasonField });

/** Field `reference` of a form that moves money: a transfer with the same one is booked once. */
export const referenceField = optional(
  withMessage(
    shape<string>(boundedText(MAX_REFERENCE_LENGTH)),
    `A reference has at most ${MAX_REFERENCE_LENGTH} characters, without NUL characters and unpaired surrogates.`,
  ),
);

/** Text of a form that must be given; the message says which one is missing. */
export const required = (maxLength: number, message: string) =>
  withMessage(text({ minLength: 1, maxLength }), message);

/** Text by which a list is filtered; an empty one filters nothing. */
export const filterText = (maxLength: number, message: string) =>
  withDefault(withMessage(shape<string>(boundedText(maxLength).allow('').trim()), message), '');
