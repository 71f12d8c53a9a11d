import {
  type AbandonedCall,
  type CallOutcome,
  claimAbandonedCalls,
  type Database,
  deleteAbandonedCall,
  finishCall,
  postponeAbandonedCall,
} from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import { findInterruptedEnd } from '../attempt/restore-history.js';
import { getOwner } from '../providers/port.js';
import type { Router } from '../routing/create-router.js';
import { sweepItems } from './sweep-items.js';

/** Dependencies of reconciling calls. */
export interface ReconcileDeps {
  readonly db: Pick<Database, 'run'>;
  readonly router: Pick<Router, 'findMaker' | 'describeCut'>;
  readonly metrics: Pick<Metrics, 'sweeps'>;
  readonly logger: Logger;
  /** First wait after a cancellation that failed, in milliseconds. */
  readonly sweepMs: number;
}

const CANCEL_TIMEOUT_MS = 10_000;
const GIVE_UP_MS = 10 * 60_000;
// The lease is longer than a cancellation and its outcome take.
const TERMS = { perProvider: 8, leaseMs: 30_000 };

/** Cancels the upstream jobs of a batch of ended tasks, and saves the outcome of their abandoned calls. */
export async function reconcileCalls(deps: ReconcileDeps, noteProgress: () => void): Promise<boolean> {
  const { db, metrics, logger, sweepMs } = deps;
  const conclude = async (call: AbandonedCall): Promise<void> => {
    if (call.state === 'started' || call.state === 'submitted') {
      const { state, costMicros } = await determineOutcome(deps, call);
      await finishCall(db, { callId: call.id, state, detail: call.detail, costMicros });
      metrics.sweeps.inc({ what: 'concluded-calls' });
      const { taskId, requestTraceId: requestId, provider } = call;
      logger.info('concluded a call of a finished task', { taskId, requestId, provider, state });
    }
    await deleteAbandonedCall(db, call.id);
  };
  const action = async (call: AbandonedCall): Promise<void> => {
    try {
      await conclude(call);
    } catch (error) {
      const { taskId, requestTraceId: requestId, provider } = call;
      logger.warn('could not stop a job upstream', { taskId, requestId, provider, error });
      await postponeAbandonedCall(db, { callId: call.id, backoffMs: sweepMs });
    }
  };
  const onError = ({ taskId }: AbandonedCall, error: unknown) =>
    logger.warn('could not put off a cancellation', { taskId, error });
  return sweepItems(await claimAbandonedCalls(db, TERMS), { action, onError, noteProgress });
}

/**
 * Cancels the job of a call where possible, and returns the outcome of the call. A canceled job costs nothing; any other one
 * may have been billed.
 */
async function determineOutcome(
  { router }: ReconcileDeps,
  call: AbandonedCall,
): Promise<Pick<CallOutcome, 'state' | 'costMicros'>> {
  const { costMicros } = call;
  const left = await findInterruptedEnd(call, router);
  if (left !== null) {
    return left;
  }
  const maker = router.findMaker(call);
  if (!maker?.provider.cancel || call.requestId === null || call.endedMsAgo > GIVE_UP_MS) {
    return { state: 'unknown', costMicros };
  }
  const job = { id: call.requestId, handle: call.jobHandle, model: call.model, key: maker.key };
  const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
  const stopped = await maker.provider.cancel(job, { signal, owner: getOwner(maker.key) });
  return stopped ? { state: 'cut', costMicros: 0n } : { state: 'unknown', costMicros };
}
