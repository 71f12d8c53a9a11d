import type { Database } from '@image-gateway/shared/db';
import { listLiveWorkers } from '../system/list-live-workers.js';
import { presentCandidateState } from './present-candidate-state.js';

/** State of a candidate in one worker. */
export type CandidateState = ReturnType<typeof presentCandidateState>;

/** Lists the states of all candidates in the live generation workers. */
export async function listCandidateStates(db: Pick<Database, 'run'>): Promise<readonly CandidateState[]> {
  const workers = await listLiveWorkers(db);
  return workers
    .filter(({ service }) => service === 'generation-worker')
    .flatMap(({ report }) => (report.candidates ?? []).map(presentCandidateState));
}
