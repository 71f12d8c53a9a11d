import { asRecord } from '../record-of.js';
import { asRecords } from '../records-of.js';

/** What an error of OpenRouter says, in whichever of its shapes. */
export interface OpenRouterFault {
  /** The code of `availability`, then the `error_type`: what is more exact comes first. */
  readonly keys: readonly string[];
  /** Whether it carries the marks of a moderation. */
  readonly moderated: boolean;
  /** The status that the error names itself, which is the true one when the answer has status 200. */
  readonly status: number | null;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
}

const SECOND_MS = 1_000;
const MARKS = ['reasons', 'flagged_input', 'patterns'];

/** Reads the error of an answer: at its top, or in its first choice; null when there is none. */
export function readFault(value: unknown): OpenRouterFault | null {
  const answer = asRecord(value) ?? {};
  const error = asRecord(answer.error) ?? asRecord(asRecords(answer.choices)[0]?.error);
  if (error === null) return null;
  const metadata = asRecord(error.metadata) ?? {};
  const availability = asRecord(error.availability) ?? {};
  const { retry_after: seconds } = availability;
  return {
    keys: [availability.code, metadata.error_type, error.error_type].filter((key) => typeof key === 'string'),
    moderated: MARKS.some((mark) => metadata[mark] !== undefined && metadata[mark] !== null),
    status: [error.code, error.http_status].find((one) => typeof one === 'number') ?? null,
    message: typeof error.message === 'string' ? error.message : '',
    retryAfterMs: isDuration(seconds) ? seconds * SECOND_MS : undefined,
  };
}

// JSON can say 1e999, which is read as an infinity.
const isDuration = (value: unknown): value is number => Number.isFinite(value) && Number(value) >= 0;
