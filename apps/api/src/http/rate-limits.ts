import type { Rate } from '@image-gateway/shared/config';
import { AppError } from '@image-gateway/shared/errors';
import type { LimitCheck, RateDecision } from '@image-gateway/shared/limits';
import type { Response } from 'express';

/**
 * Writes where the limits of a request stand, as the IETF draft of the RateLimit headers says. Budgets of networks are shown
 * when they are used up.
 */
export function writeRateHeaders(response: Pick<Response, 'setHeader'>, { policies }: RateDecision): void {
  const shown = policies.filter(({ policy, remaining }) => !policy.endsWith('-site') || remaining < 1);
  if (shown.length === 0) {
    return;
  }
  const quota = shown.map(({ policy, limit, windowSeconds }) => `"${policy}";q=${limit};w=${windowSeconds}`);
  const left = shown.map(
    ({ policy, remaining, resetSeconds }) => `"${policy}";r=${remaining};t=${resetSeconds}`,
  );
  response.setHeader('RateLimit-Policy', quota.join(', '));
  response.setHeader('RateLimit', left.join(', '));
}

const MESSAGES: Readonly<Record<string, string>> = {
  account: 'Too many requests of this account, all its keys together. Slow down and try again later.',
  auth: 'Too many failed authentications from this address. Check the API key, and try again later.',
};

/** Returns the error of a decision that refused; its text names the limit where the caller could not guess it. */
export function rateLimitError({ policies, retryAfterMs }: RateDecision): AppError {
  const usedUp = policies
    .filter(({ remaining }) => remaining < 1)
    .map(({ policy }) => policy.replace('-site', ''));
  const publicMessage = usedUp.map((policy) => MESSAGES[policy]).find((text) => text !== undefined);
  return new AppError('RATE_LIMITED', {
    retryAfterSeconds: Math.ceil(retryAfterMs / 1000),
    ...(publicMessage !== undefined && { publicMessage }),
  });
}

/** Rates of callers; null switches a limit off. */
export interface CallerRates {
  readonly keyRate: Rate | null;
  readonly accountRate: Rate | null;
}

/** Caller whose limits are checked. */
export interface LimitedCaller {
  readonly accountId: string;
  readonly apiKeyId: string;
  /** Rate that an operator set for this account; it replaces both settings. */
  readonly requests?: Rate | undefined;
}

/** Returns the limit of a key and that of its account, which all keys of the account and its playground share. */
export function getAccountLimits(
  { keyRate, accountRate }: CallerRates,
  caller: LimitedCaller,
): readonly LimitCheck[] {
  const { accountId, apiKeyId, requests } = caller;
  const [ofKey, ofAccount] = [requests ?? keyRate, requests ?? accountRate];
  return [
    ...(ofKey ? [{ policy: 'key', key: apiKeyId, ...ofKey }] : []),
    ...(ofAccount ? [{ policy: 'account', key: accountId, ...ofAccount }] : []),
  ];
}
