import { REASONS } from '@image-gateway/shared/contract';
import type { AttemptEnd } from '../attempt/attempt.js';
import type { Later } from '../routing/plan-calls.js';
import type { CallReport } from './decide-call-outcome.js';

const MAX_PAUSE_MS = 60 * 60_000;

/** Says how an attempt ends in which no call runs and none may be made any more. */
export function decideGenerationEnd(state: {
  readonly missing: number;
  /** The public reason of a final refusal. */
  readonly refusal: string | null;
  readonly reports: readonly CallReport[];
  readonly later: Later;
}): AttemptEnd {
  const { missing, refusal, reports, later } = state;
  if (missing === 0) return { kind: 'settle', reason: REASONS.internal };
  // A job that is known is never given up, whatever became of the other calls.
  const parks = reports.flatMap((report) => (report.kind === 'parked' ? [report.delayMs] : []));
  if (parks.length > 0) return { kind: 'release', delayMs: Math.min(...parks), why: 'parked' };
  if (refusal !== null) return { kind: 'settle', reason: refusal };
  switch (later.kind) {
    case 'after-failure':
      return { kind: 'retry', reason: REASONS.upstream };
    case 'after-pause':
      return { kind: 'release', delayMs: Math.min(MAX_PAUSE_MS, later.pauseMs), why: 'rate-limited' };
    case 'never':
      return { kind: 'settle', reason: REASONS.upstream };
  }
}
