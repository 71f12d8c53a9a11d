import { FAILURE_TRAITS, type FailureTraits, type ProviderFailure } from '../../../src/providers/failures.js';

/** A failure in the fixtures' words. */
export interface ExpectedFailure {
  readonly errorClass: string;
  readonly retrySame: boolean;
  readonly failover: boolean;
  readonly circuit: string | null;
  readonly alert: boolean;
  readonly ambiguous: boolean;
}

const OTHER_WORDS: Readonly<Partial<Record<ProviderFailure, string>>> = {
  'doubtful-input': 'INVALID_INPUT',
  // The fixtures know unknown outcomes as timeouts of our own.
  unknown: 'TIMEOUT',
};

/** Says in the fixtures' words what follows from a failure. An unknown outcome is retried within a ceiling that is 0 unless set. */
export function describeFailure(failure: ProviderFailure): ExpectedFailure {
  const { sameProvider, finalAfter, circuit, alert }: FailureTraits = FAILURE_TRAITS[failure];
  const ambiguous = failure === 'unknown';
  return {
    errorClass: OTHER_WORDS[failure] ?? failure.toUpperCase().replaceAll('-', '_'),
    retrySame: !ambiguous && (sameProvider === 'at-once' || sameProvider === 'next-attempt'),
    failover: !ambiguous && finalAfter === null,
    circuit,
    alert,
    ambiguous,
  };
}
