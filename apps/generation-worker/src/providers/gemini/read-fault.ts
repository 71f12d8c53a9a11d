import { asRecord } from '../record-of.js';
import { asRecords } from '../records-of.js';

/** What an error of Google's APIs says (google.rpc.Status). */
export interface GeminiFault {
  /** Such as RESOURCE_EXHAUSTED; empty when it does not say. */
  readonly status: string;
  readonly message: string;
  /** The reason of `ErrorInfo`, such as API_KEY_INVALID; empty when it does not say. */
  readonly reason: string;
  /** Ids of the quotas that are used up. */
  readonly quotaIds: readonly string[];
  /** From `RetryInfo`, in milliseconds; no header says it. */
  readonly retryAfterMs: number | undefined;
}

const SECONDS = /^(\d{1,9}(?:\.\d{1,9})?)s$/;
const SECOND_MS = 1_000;

/** Reads an error, whatever is in it. */
export function readFault(value: unknown): GeminiFault {
  const error = asRecord(asRecord(value)?.error) ?? {};
  const details = asRecords(error.details);
  const delay = details.flatMap(({ retryDelay }) => SECONDS.exec(textOf(retryDelay))?.[1] ?? [])[0];
  return {
    status: textOf(error.status),
    message: textOf(error.message),
    reason: details.map(({ reason }) => textOf(reason)).find((reason) => reason !== '') ?? '',
    quotaIds: details.flatMap(({ violations }) =>
      asRecords(violations).map(({ quotaId }) => textOf(quotaId)),
    ),
    retryAfterMs: delay === undefined ? undefined : Math.ceil(Number(delay) * SECOND_MS),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
