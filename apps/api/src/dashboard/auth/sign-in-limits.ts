import { createHash } from 'node:crypto';
import { AppError } from '@image-gateway/shared/errors';
import type { LimitCheck, RateLimiter } from '@image-gateway/shared/limits';
import { toAddressKey } from '../../http/address-limits.js';
import type { Device } from './device-cookies.js';

/** A try to log in. */
export interface SignInAttempt {
  readonly ip: string;
  readonly email: string;
  /** The browser, if its user has logged in there before. */
  readonly device: Device | null;
}

/** Limits of guesses at passwords, shared by all processes. */
export interface SignInLimits {
  /** Throws AppError `RATE_LIMITED` when there were too many tries, or too many wrong ones before this. */
  readonly admit: (attempt: SignInAttempt) => Promise<void>;
  /** Counts a wrong password. */
  readonly countFailure: (attempt: SignInAttempt) => Promise<void>;
}

/**
 * Makes the limits. From strangers: 60 tries a minute from one address, of which 20 may be wrong; 10 wrong ones in a quarter of an
 * hour for one log-in from one address, 100 from anywhere. A browser in which the user has logged in before has limits of its
 * own instead, so that the tries of strangers never keep it out: 60 tries a minute of the user, 10 wrong ones in a quarter of
 * an hour of the browser.
 */
export function createSignInLimits(limiter: RateLimiter): SignInLimits {
  return {
    admit: async (attempt) => {
      const { device, ip } = attempt;
      // Every try counts here, so that many at a time cannot all look before one of them has failed.
      const tries = device
        ? { policy: 'sign-in-known', key: device.userId, limit: 60, windowSeconds: 60 }
        : { policy: 'sign-in', key: toAddressKey(ip), limit: 60, windowSeconds: 60 };
      const decision = await limiter.consume([tries, ...getFailureLimits(attempt, 0)]);
      if (!decision.allowed)
        throw new AppError('RATE_LIMITED', {
          publicMessage: 'Too many tries to log in. Wait a little and try again.',
          retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000),
        });
    },
    countFailure: async (attempt) => {
      await limiter.consume(getFailureLimits(attempt, 1));
    },
  };
}

function getFailureLimits({ ip, email, device }: SignInAttempt, cost: 0 | 1): LimitCheck[] {
  if (device) return [{ policy: 'sign-in-device', key: device.id, limit: 10, windowSeconds: 900, cost }];
  const address = toAddressKey(ip);
  const user = createHash('sha256').update(email.trim().toLowerCase()).digest('base64url');
  return [
    { policy: 'sign-in-ip', key: address, limit: 20, windowSeconds: 60, cost },
    { policy: 'sign-in-pair', key: `${address}:${user}`, limit: 10, windowSeconds: 900, cost },
    { policy: 'sign-in-user', key: user, limit: 100, windowSeconds: 900, cost },
  ];
}
