import { type ClaimedDelivery, type DeliveryOutcome, NAME_NOT_FOUND } from '@image-gateway/shared/db';
import type { PostOutcome } from './post-webhook.js';

/** State of a delivery after an attempt, the delay of the next one, and the text about it for operators. */
export type Decision = Pick<DeliveryOutcome, 'end' | 'status' | 'error'>;

/** Input of the decision beside the outcome. */
export interface Terms extends Pick<ClaimedDelivery, 'attempt' | 'nameNotFoundCount' | 'nameNotFoundForMs'> {
  /** Seconds before the second, third, … attempt. */
  readonly schedule: readonly number[];
  /** Returns a number from 0 (included) to 1, as Math.random does. */
  readonly random: () => number;
}

const GONE = 410;
const JITTER = 0.2;
const MAX_WAIT_SECONDS = 24 * 60 * 60;
const MIN_RETRY_AFTER_SECONDS = 1;
/** A new name may take a while to be known everywhere; one that is unknown for longer is taken for a mistake. */
const NAME_ATTEMPTS = 4;
const NAME_GRACE_MS = 30 * 60_000;

/**
 * Decides about retries after an attempt. A 2xx status is success. Retries end after 410 and after an address that is not
 * allowed. They also end when a name has not existed for four attempts and half an hour. An interrupted attempt is due again at
 * once. Everything else follows the schedule until its end.
 */
export function decideEnd(outcome: PostOutcome, terms: Terms): Decision {
  if (outcome.kind === 'stopped') {
    return { end: { state: 'pending', delayMs: 0 }, status: null, error: 'interrupted' };
  }
  if (outcome.kind === 'no-response') {
    const { error } = outcome;
    const isFinal = outcome.final || (error === NAME_NOT_FOUND && isNameGivenUp(terms));
    return { end: isFinal ? { state: 'failed' } : endAfter(terms, null), status: null, error };
  }
  const { status, retryAfterSeconds } = outcome;
  if (status >= 200 && status < 300) {
    return { end: { state: 'delivered' }, status, error: null };
  }
  const end = status === GONE ? { state: 'failed' as const } : endAfter(terms, retryAfterSeconds);
  return { end, status, error: `answered ${status}` };
}

function isNameGivenUp({ nameNotFoundCount, nameNotFoundForMs }: Terms): boolean {
  return nameNotFoundCount + 1 >= NAME_ATTEMPTS && nameNotFoundForMs >= NAME_GRACE_MS;
}

function endAfter({ schedule, attempt, random }: Terms, retryAfterSeconds: number | null): Decision['end'] {
  const delayMs = retryDelayMs({ schedule, attempt, retryAfterSeconds, random });
  return delayMs === null ? { state: 'failed' } : { state: 'pending', delayMs };
}

/**
 * Returns the delay of the next attempt in milliseconds, or null after the last one. The delay of the schedule is
 * spread by ±20 %; a `Retry-After` of a second or more is followed exactly, up to 24 hours.
 */
export function retryDelayMs({
  schedule,
  attempt,
  retryAfterSeconds,
  random,
}: Pick<Terms, 'schedule' | 'attempt' | 'random'> & { readonly retryAfterSeconds: number | null }):
  | number
  | null {
  const seconds = schedule[attempt - 1];
  if (seconds === undefined) {
    return null;
  }
  // `Retry-After: 0` would use up all attempts within moments: the schedule is better for such a receiver.
  if (retryAfterSeconds !== null && retryAfterSeconds >= MIN_RETRY_AFTER_SECONDS) {
    return Math.min(retryAfterSeconds, MAX_WAIT_SECONDS) * 1000;
  }
  return Math.round(seconds * 1000 * (1 - JITTER + 2 * JITTER * random()));
}
