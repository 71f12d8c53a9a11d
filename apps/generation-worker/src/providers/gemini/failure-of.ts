import { getFailureByStatus } from '../failure-of-status.js';
import type { ProviderFailure } from '../failure-traits.js';
import type { GeminiFault } from './read-fault.js';

/** One kind of error, told by its status and by what it says. */
interface Rule {
  readonly status: number;
  readonly tells?: (fault: GeminiFault) => boolean;
  readonly failure: ProviderFailure;
}

const says =
  (text: RegExp) =>
  ({ message }: GeminiFault): boolean =>
    text.test(message);

/** What errors of the Gemini API mean where their status alone says too little (ai.google.dev, "Troubleshooting"); the first that fits holds. */
const RULES: readonly Rule[] = [
  // A bad key is a bad argument there.
  { status: 400, tells: ({ reason }) => reason.startsWith('API_KEY_'), failure: 'auth' },
  { status: 400, tells: says(/user location is not supported/i), failure: 'geo' },
  { status: 400, tells: says(/free tier is not available in your country/i), failure: 'geo' },
  // We have decoded it before: that Google cannot may be Google's own trouble.
  { status: 400, tells: says(/unable to process input image/i), failure: 'doubtful-input' },
  { status: 400, tells: says(/payload size exceeds/i), failure: 'invalid-input' },
  { status: 413, failure: 'invalid-input' },
  { status: 429, tells: ({ quotaIds }) => quotaIds.some((id) => id.includes('PerDay')), failure: 'quota' },
  { status: 429, tells: says(/limit: 0\b/), failure: 'quota' },
  // From the edge in front of the API, without a word.
  { status: 502, failure: 'overload' },
];

/** What an answer that is no success means. */
export function failureOf(status: number, fault: GeminiFault): ProviderFailure {
  const rule = RULES.find((one) => one.status === status && (one.tells?.(fault) ?? true));
  return rule?.failure ?? getFailureByStatus(status);
}
