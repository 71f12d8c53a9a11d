import { type ClaimedCheck, claimCheck, endLateChecks, renewCheck } from '@image-gateway/shared/db';
import { pause, repeat } from '@image-gateway/shared/lifecycle';
import { getEncryptionKeyId } from '@image-gateway/shared/upstreams';
import { type LookDeps, lookForEnds } from './look-for-ends.js';
import { type CheckDeps, runCheck } from './run-check.js';

const SEARCH_EVERY_MS = 1_000;
/** Short, so that another worker answers in time where one was killed. */
const LEASE_MS = 5_000;
const RENEW_EVERY_MS = 1_500;
const LATE_EVERY_MS = 30_000;
/** Looks at the clock, of which one a day asks providers. */
const LOOK_EVERY_MS = 60_000;
const AT_A_TIME = 5;

/** Does the checks of providers that operators ask for, and the daily look, until the signal; resolves when the last ones have ended. */
export async function takeChecks(deps: CheckDeps & LookDeps): Promise<void> {
  const { db, logger, signal } = deps;
  const running = new Set<Promise<void>>();
  const onError = (error: unknown): void => {
    logger.warn('checks of providers cannot be read or written', { error });
  };
  const search = async (): Promise<void> => {
    while (running.size < AT_A_TIME && !signal.aborted) {
      const check = await claim(deps, null);
      if (check === null) {
        break;
      }
      const run = runWithLease(deps, check)
        .catch(onError)
        .finally(() => running.delete(run));
      running.add(run);
    }
  };
  const endLate = () => endLateChecks(db);
  const look = async (): Promise<void> => {
    // A start has other work first.
    await pause(LOOK_EVERY_MS, signal);
    if (!signal.aborted) {
      await lookForEnds(deps);
    }
  };
  await Promise.all([
    repeat(search, { everyMs: SEARCH_EVERY_MS, signal, onError }),
    repeat(endLate, { everyMs: LATE_EVERY_MS, signal, onError }),
    repeat(look, { everyMs: 0, signal, onError }),
  ]);
  await Promise.all(running);
}

/** Does the one check that a command line keeps for this process; returns false where it is not there. */
export async function takeOneCheck(deps: CheckDeps, id: string): Promise<boolean> {
  const check = await claim(deps, id);
  if (check !== null) {
    await runWithLease(deps, check);
  }
  return check !== null;
}

function claim({ db, settings }: CheckDeps, id: string | null): Promise<ClaimedCheck | null> {
  const encryptionKeyIds = settings.ENCRYPTION_KEY.map(getEncryptionKeyId);
  return claimCheck(db, { id, encryptionKeyIds, leaseMs: LEASE_MS });
}

async function runWithLease(deps: CheckDeps, check: ClaimedCheck): Promise<void> {
  const ended = new AbortController();
  void repeat(() => renewCheck(deps.db, check, LEASE_MS), {
    everyMs: RENEW_EVERY_MS,
    signal: ended.signal,
    onError: (error) => deps.logger.warn('the lease of a check was not renewed', { error }),
  });
  try {
    await runCheck(deps, check);
  } finally {
    ended.abort();
  }
}
