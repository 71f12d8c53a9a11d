import type { ProviderCheckResult } from '../provider/schema.js';

/** Returns why a key is not proven good; null where the provider accepted all. */
export function explainUntested({ keys, note }: ProviderCheckResult): string | null {
  const unclear = keys.find(({ result }) => result !== 'accepted');
  if (unclear) {
    return describeKeyCheck(unclear);
  }
  return keys.length === 0 ? (note ?? 'not checked') : null;
}

/** Describes what a provider says of a key. */
export function describeKeyCheck({ result, status, reason }: ProviderCheckResult['keys'][number]): string {
  const said = [status === null ? null : `the provider answered ${status}`, reason];
  return result === 'accepted' ? 'is accepted' : said.filter((part) => part !== null).join(': ');
}
