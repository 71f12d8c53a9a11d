import { createHash } from 'node:crypto';
import { AppError } from '@image-gateway/shared/errors';
import type { LimitCheck, RateLimiter } from '@image-gateway/shared/limits';
import { getAddressLimits, toAddressKey } from '../../http/address-limits.js';
import { listEmailForms } from '../check-email.js';
import type { Device } from './device-cookies.js';

/** Attempt to log in. */
export interface SignInAttempt {
  readonly ip: string;
  readonly email: string;
  /** Browser in which the user has logged in before; null for any other. */
  readonly device: Device | null;
}

/** Limits on guessing passwords, shared by all processes. */
export interface SignInLimits {
  /** Throws AppError `RATE_LIMITED` after too many attempts, or too many failed ones. */
  readonly admit: (attempt: SignInAttempt) => Promise<void>;
  /** Counts a wrong password. */
  readonly countFailure: (attempt: SignInAttempt) => Promise<void>;
}

/**
 * Creates the limits. New browsers may make 60 attempts a minute from one address, of which 20 may fail. In a quarter of an
 * hour, a user may have 10 failures from one address and 100 from all addresses. A browser in which the user has logged in
 * before has its own limits instead, so that guesses from elsewhere never lock it out. These are 60 attempts a minute of the
 * user, and 10 failures in a quarter of an hour of the browser. The /48 around an IPv6 address has sixteen times its budget.
 */
export function createSignInLimits(limiter: RateLimiter): SignInLimits {
  return {
    admit: async (attempt) => {
      const { device, ip } = attempt;
      // Every attempt counts here, so that concurrent ones cannot all pass before one of them has failed.
      const tries = device
        ? [{ policy: 'sign-in-known', key: device.userId, limit: 60, windowSeconds: 60 }]
        : getAddressLimits('sign-in', ip, { limit: 60, windowSeconds: 60 });
      const decision = await limiter.consume([...tries, ...getFailureLimits(attempt, 0)]);
      if (!decision.allowed) {
        throw new AppError('RATE_LIMITED', {
          publicMessage: 'Too many attempts to log in. Wait a moment and try again.',
          retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000),
        });
      }
    },
    countFailure: async (attempt) => {
      await limiter.consume(getFailureLimits(attempt, 1));
    },
  };
}

function getFailureLimits({ ip, email, device }: SignInAttempt, cost: 0 | 1): LimitCheck[] {
  if (device) {
    return [{ policy: 'sign-in-device', key: device.id, limit: 10, windowSeconds: 900, cost }];
  }
  const address = toAddressKey(ip);
  const user = createHash('sha256')
    .update(listEmailForms(email)[0] ?? '')
    .digest('base64url');
  return [
    ...getAddressLimits('sign-in-ip', ip, { limit: 20, windowSeconds: 60 }).map((one) => ({ ...one, cost })),
    { policy: 'sign-in-pair', key: `${address}:${user}`, limit: 10, windowSeconds: 900, cost },
    { policy: 'sign-in-user', key: user, limit: 100, windowSeconds: 900, cost },
  ];
}
