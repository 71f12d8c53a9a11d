import type { DeliveryOutcome } from '@image-gateway/shared/db';
import type { PostOutcome } from './post-webhook.js';
import { retryDelayMs } from './retry-schedule.js';

const GONE = 410;

/** What becomes of a delivery after an attempt, without the id: state, delay and what the operator reads about it. */
export type Decision = Pick<DeliveryOutcome, 'end' | 'status' | 'error'>;

/**
 * Decides what an attempt's outcome means: 2xx is success, 410 and an address that is not allowed end the retries, an
 * attempt that we cut ourselves is due again at once, and all else follows the schedule until that is used up.
 */
export function decideEnd(
  outcome: PostOutcome,
  {
    attempt,
    schedule,
    random,
  }: { readonly attempt: number; readonly schedule: readonly number[]; readonly random: () => number },
): Decision {
  if (outcome.kind === 'stopped')
    return { end: { state: 'pending', delayMs: 0 }, status: null, error: 'interrupted' };
  const status = outcome.kind === 'answered' ? outcome.status : null;
  if (status !== null && status >= 200 && status < 300)
    return { end: { state: 'delivered' }, status, error: null };

  const error = outcome.kind === 'answered' ? `answered ${outcome.status}` : outcome.error;
  const isFinal = outcome.kind === 'answered' ? status === GONE : outcome.final;
  const retryAfterSeconds = outcome.kind === 'answered' ? outcome.retryAfterSeconds : null;
  const delayMs = isFinal ? null : retryDelayMs({ schedule, attempt, retryAfterSeconds, random });
  return { end: delayMs === null ? { state: 'failed' } : { state: 'pending', delayMs }, status, error };
}
