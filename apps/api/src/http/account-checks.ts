import type { Rate } from '@image-gateway/shared/config';
import type { LimitCheck } from '@image-gateway/shared/limits';

/** Rates of callers; null switches a limit off. */
export interface CallerRates {
  readonly keyRate: Rate | null;
  readonly accountRate: Rate | null;
}

/** Caller whose limits are checked. */
export interface LimitedCaller {
  readonly accountId: string;
  readonly apiKeyId: string;
  /** Rate of an operator for this account; it stands in place of both settings. */
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
