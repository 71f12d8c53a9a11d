import { type ClaimedDelivery, type DeliveryOutcome, NAME_NOT_FOUND } from '@image-gateway/shared/db';
import type { PostOutcome } from './post-webhook.js';

/** What becomes of a delivery after an attempt, without the id: state, delay and what the operator reads about it. */
export type Decision = Pick<DeliveryOutcome, 'end' | 'status' | 'error'>;

/** What decides beside the outcome itself. */
export interface Terms extends Pick<ClaimedDelivery, 'attempt' | 'nameNotFoundCount' | 'nameNotFoundForMs'> {
  /** Seconds before the second, third, … attempt. */
  readonly schedule: readonly number[];
  /** Returns a number from 0 (included) to 1, as Math.random does. */
  readonly random: () => number;
}

const GONE = 410;
const JITTER = 0.2;
const MAX_WAIT_SECONDS = 24 * 60 * 60;
const MIN_WISH_SECONDS = 1;
/** A new name may take a while to be known everywhere; one that is unknown for longer is a mistake. */
const NAME_ATTEMPTS = 4;
const NAME_PATIENCE_MS = 30 * 60_000;

/**
 * Decides what an attempt's outcome means: 2xx is success; 410, an address that is not allowed and a name that has not
 * existed for four attempts and half an hour end the retries. An attempt that we cut ourselves is due again at once, and all
 * else follows the schedule until that is used up.
 */
export function decideEnd(outcome: PostOutcome, terms: Terms): Decision {
  if (outcome.kind === 'stopped')
    return { end: { state: 'pending', delayMs: 0 }, status: null, error: 'interrupted' };
  if (outcome.kind === 'unanswered') {
    const { error } = outcome;
    const isFinal = outcome.final || (error === NAME_NOT_FOUND && isGivenUp(terms));
    return { end: isFinal ? { state: 'failed' } : endAfter(terms, null), status: null, error };
  }
  const { status, retryAfterSeconds } = outcome;
  if (status >= 200 && status < 300) return { end: { state: 'delivered' }, status, error: null };
  const end = status === GONE ? { state: 'failed' as const } : endAfter(terms, retryAfterSeconds);
  return { end, status, error: `answered ${status}` };
}

function isGivenUp({ nameNotFoundCount, nameNotFoundForMs }: Terms): boolean {
  return nameNotFoundCount + 1 >= NAME_ATTEMPTS && nameNotFoundForMs >= NAME_PATIENCE_MS;
}

function endAfter({ schedule, attempt, random }: Terms, retryAfterSeconds: number | null): Decision['end'] {
  const delayMs = retryDelayMs({ schedule, attempt, retryAfterSeconds, random });
  return delayMs === null ? { state: 'failed' } : { state: 'pending', delayMs };
}

/**
 * Returns how many milliseconds to wait before the next attempt, or null when there is none left. The schedule's delay is
 * spread by ±20 %; a receiver's own wish (`Retry-After`) of a second or more is followed exactly, up to 24 hours.
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
  if (seconds === undefined) return null;
  // A wish for "at once" would burn all attempts within moments; the schedule is kinder to such a receiver.
  if (retryAfterSeconds !== null && retryAfterSeconds >= MIN_WISH_SECONDS)
    return Math.min(retryAfterSeconds, MAX_WAIT_SECONDS) * 1000;
  return Math.round(seconds * 1000 * (1 - JITTER + 2 * JITTER * random()));
}
