import { REASONS } from '@image-gateway/shared/contract';
import type { AttemptEnd } from '../attempt/attempt.js';
import type { Plan } from '../plan/plan-calls.js';
import type { CallReport } from './outcome-of-call.js';

const LEAST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60 * 60_000;

/** Says how an attempt ends in which no call runs and none may be made any more. */
export function endOfGeneration(state: {
  readonly missing: number;
  /** The public reason of a final refusal. */
  readonly refusal: string | null;
  readonly reports: readonly CallReport[];
  readonly later: Plan['later'];
}): AttemptEnd {
  const { missing, refusal, reports, later } = state;
  if (missing === 0) return { kind: 'settle', reason: REASONS.internal };
  // A job that is known is never given up, whatever became of the other calls.
  const parks = reports.flatMap((report) => (report.kind === 'parked' ? [report.delayMs] : []));
  if (parks.length > 0) return { kind: 'release', delayMs: Math.min(...parks), why: 'parked' };
  if (refusal !== null) return { kind: 'settle', reason: refusal };
  if (later === 'after-failure') return { kind: 'retry', reason: REASONS.upstream };
  if (later === 'never') return { kind: 'settle', reason: REASONS.upstream };
  const waits = reports.flatMap((report) => (report.kind === 'rate-limited' ? [report.retryAfterMs] : []));
  return {
    kind: 'release',
    delayMs: Math.max(LEAST_PAUSE_MS, Math.min(LONGEST_PAUSE_MS, ...waits)),
    why: 'rate-limited',
  };
}
