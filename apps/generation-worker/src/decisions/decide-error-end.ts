import { REASONS } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import type { Attempt, AttemptEnd } from '../attempt/attempt.js';
import { AttemptAborted } from '../attempt/attempt-aborted.js';
import { InputImageError } from '../inputs/input-image-error.js';
import { InputsBusyError } from '../inputs/inputs-busy-error.js';

const INTERNAL_ERROR_PAUSE_MS = 2_000;

/** Says how an attempt ends that was stopped, or that broke on something which is no provider's fault. */
export function decideErrorEnd(
  { signal, log }: Pick<Attempt, 'signal' | 'log'>,
  thrown: unknown,
): AttemptEnd {
  // When an attempt is stopped, whatever breaks in it breaks because of that.
  const error = signal.aborted ? (signal.reason as unknown) : thrown;
  if (error instanceof AttemptAborted) {
    switch (error.why) {
      case 'lost':
        return { kind: 'leave' };
      case 'deadline':
        return { kind: 'settle', reason: REASONS.deadline };
      case 'shutdown':
        return { kind: 'release', delayMs: 0, why: 'shutdown' };
      case 'hung':
        return { kind: 'retry', reason: REASONS.internal };
      case 'lease':
        return { kind: 'release', delayMs: INTERNAL_ERROR_PAUSE_MS, why: 'lease' };
    }
  }
  if (error instanceof InputImageError) {
    log.info('an input image cannot be used', { error });
    return { kind: 'settle', reason: error.reason };
  }
  if (error instanceof InputsBusyError) {
    log.info('input images are loaded later', { error });
    return { kind: 'release', delayMs: error.delayMs, why: 'inputs-busy' };
  }
  if (error instanceof AppError && error.retryable) {
    log.warn('own trouble, giving the task back', { error });
    return { kind: 'release', delayMs: INTERNAL_ERROR_PAUSE_MS, why: 'own-trouble' };
  }
  log.error('the attempt broke', { error });
  return { kind: 'retry', reason: REASONS.internal };
}
