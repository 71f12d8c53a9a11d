import { ProviderError } from '../errors.js';
import type { ProviderFailure } from '../failure-traits.js';

// What the codes in the text of a failed prediction mean: those of Google's models (three digits) and Replicate's own (four).
const FAILURE_OF_CODE: Readonly<Record<string, ProviderFailure>> = {
  // The maker's own key or credit at Google has run out, not ours.
  E001: 'overload',
  E002: 'overload',
  E003: 'overload',
  E004: 'overload',
  E005: 'moderation',
  E006: 'invalid-input',
  E1000: 'upstream-error',
  E1001: 'upstream-error',
};

// What the words mean where there is no known code, the first that fits.
const FAILURE_OF_WORDS: readonly (readonly [RegExp, ProviderFailure])[] = [
  [/\b(flagged|sensitive|safety|moderat\w*|nsfw|prohibited content)\b/i, 'moderation'],
  [/\b(no images?( data)?|did not (return|generate) (an|any) images?)\b/i, 'no-image'],
];

const CODE = /\bE\d{3,4}\b/;
const LONGEST = 300;

/** Why a prediction failed, by the text of its `error`. */
export function failureOfPrediction(error: unknown, upstreamId: string): ProviderError {
  const text = typeof error === 'string' ? error : '';
  return new ProviderError(classOf(text), `the prediction failed: ${text.slice(0, LONGEST)}`, { upstreamId });
}

function classOf(text: string): ProviderFailure {
  const code = CODE.exec(text)?.[0] ?? '';
  const known = Object.hasOwn(FAILURE_OF_CODE, code) ? FAILURE_OF_CODE[code] : undefined;
  return known ?? FAILURE_OF_WORDS.find(([words]) => words.test(text))?.[1] ?? 'upstream-error';
}
