import { type AbandonedCall, type Database, findAbandonedCalls, finishCall } from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { Router } from '../providers/router.js';
import { stateOfLeftCall } from '../steps/read-known.js';
import { eachWhileItWorks } from './each-while-it-works.js';

/** What concluding calls needs. */
export interface ConcludeDeps {
  readonly db: Pick<Database, 'run'>;
  readonly router: Pick<Router, 'whoMade' | 'isSynchronous'>;
  readonly metrics: Pick<Metrics, 'sweeps'>;
  readonly logger: Logger;
}

const AT_A_TIME = 50;
const CANCEL_TIMEOUT_MS = 10_000;
const GIVE_UP_MS = 10 * 60_000;

/** Stops the upstream jobs of tasks that have ended, and writes down what became of calls that nobody waits for any more. */
export async function concludeCalls(deps: ConcludeDeps): Promise<void> {
  const calls = await findAbandonedCalls(deps.db, { limit: AT_A_TIME });
  const conclude = async (call: AbandonedCall): Promise<void> => {
    const { state, costMicros } = await outcomeOf(deps, call);
    await finishCall(deps.db, { callId: call.id, state, detail: call.detail, costMicros });
    deps.metrics.sweeps.inc({ what: 'concluded-calls' });
    const { taskId, requestTraceId: requestId, provider } = call;
    deps.logger.info('concluded a call of a finished task', { taskId, requestId, provider, state });
  };
  await eachWhileItWorks(calls, conclude, ({ taskId, requestTraceId: requestId, provider }, error) =>
    deps.logger.warn('could not stop a job upstream', { taskId, requestId, provider, error }),
  );
}

/** A job that was stopped costs nothing; one that could not be may have been billed. */
async function outcomeOf(
  { router }: ConcludeDeps,
  call: AbandonedCall,
): Promise<{ readonly state: 'cut' | 'unknown'; readonly costMicros: bigint }> {
  const { costMicros } = call;
  const left = stateOfLeftCall(call, router);
  if (left !== null) return { state: left === 'cut' ? 'cut' : 'unknown', costMicros };
  const maker = router.whoMade(call);
  if (!maker?.provider.cancel || call.requestId === null || call.endedMsAgo > GIVE_UP_MS) {
    return { state: 'unknown', costMicros };
  }
  const job = { id: call.requestId, handle: call.jobHandle, model: call.model, key: maker.key };
  const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
  const stopped = await maker.provider.cancel(job, { signal, admitLarge: () => Promise.resolve() });
  return stopped ? { state: 'cut', costMicros: 0n } : { state: 'unknown', costMicros };
}
