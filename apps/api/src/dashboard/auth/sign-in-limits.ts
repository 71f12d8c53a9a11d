import { createHash } from 'node:crypto';
import { AppError } from '@image-gateway/shared/errors';
import type { LimitCheck, RateLimiter } from '@image-gateway/shared/limits';
import { limitSubject } from '../../http/limit-subject.js';

/** Keeps guesses of passwords few; shared by all processes. */
export interface SignInLimits {
  /** Throws AppError `RATE_LIMITED` when there were too many tries, or too many wrong ones before this. */
  readonly admit: (ip: string, email: string) => Promise<void>;
  /** Counts a wrong password. */
  readonly countFailure: (ip: string, email: string) => Promise<void>;
}

/** Makes the limits: 60 tries a minute from one address, of which 20 may be wrong; 10 wrong ones in a quarter of an hour for one log-in from one address, 100 from anywhere. */
export function createSignInLimits(limiter: RateLimiter): SignInLimits {
  const failures = (ip: string, email: string, cost: 0 | 1): LimitCheck[] => {
    const address = limitSubject(ip);
    const who = createHash('sha256').update(email.trim().toLowerCase()).digest('base64url');
    return [
      { policy: 'sign-in-ip', key: address, limit: 20, windowSeconds: 60, cost },
      { policy: 'sign-in-pair', key: `${address}:${who}`, limit: 10, windowSeconds: 900, cost },
      { policy: 'sign-in-user', key: who, limit: 100, windowSeconds: 900, cost },
    ];
  };
  return {
    admit: async (ip, email) => {
      // Every try counts here, so that many at a time cannot all look before one of them has failed.
      const tries = { policy: 'sign-in', key: limitSubject(ip), limit: 60, windowSeconds: 60 };
      const decision = await limiter.consume([tries, ...failures(ip, email, 0)]);
      if (!decision.allowed)
        throw new AppError('RATE_LIMITED', {
          publicMessage: 'Too many tries to log in. Wait a little and try again.',
          retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000),
        });
    },
    countFailure: async (ip, email) => {
      await limiter.consume(failures(ip, email, 1));
    },
  };
}
