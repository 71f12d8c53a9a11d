import type { DueDelivery } from '@image-gateway/shared/db';
import type { Wanted } from './find-due.js';

/** What one look found and what was chosen of it. */
export interface Look {
  readonly wanted: Wanted;
  readonly due: readonly DueDelivery[];
  readonly chosen: readonly DueDelivery[];
  /** How many a look gives at most for one receiver. */
  readonly perHost: number;
}

/**
 * Works out for which receivers more is known to wait after a look: those that something was left over for, those that
 * gave as many as one look gives, and those that were known before and not looked at.
 */
export function waitingHostsAfter(
  before: ReadonlySet<string>,
  { wanted, due, chosen, perHost }: Look,
): ReadonlySet<string> {
  const left = new Map<string, { found: number; chosen: number }>();
  const of = (hostPort: string) => {
    const counts = left.get(hostPort) ?? { found: 0, chosen: 0 };
    left.set(hostPort, counts);
    return counts;
  };
  for (const { hostPort } of due) of(hostPort).found += 1;
  for (const { hostPort } of chosen) of(hostPort).chosen += 1;

  const waiting = new Set(wanted.everything ? [] : before);
  for (const hostPort of wanted.hosts) waiting.delete(hostPort);
  for (const [hostPort, counts] of left)
    if (counts.found > counts.chosen || counts.found >= perHost) waiting.add(hostPort);
  return waiting;
}
