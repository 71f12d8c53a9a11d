import { type Database, deleteTaskInputs, takeUnneededInputs } from '@image-gateway/shared/db';
import { inputKey } from '@image-gateway/shared/ids';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { ObjectStore } from '@image-gateway/shared/storage';

/** Dependencies of removing uploads. */
export interface RemoveInputsDeps {
  readonly db: Pick<Database, 'run'>;
  readonly store: Pick<ObjectStore, 'remove'>;
  readonly metrics: Pick<Metrics, 'sweeps'>;
}

const BATCH_SIZE = 100;

/** Removes a batch of uploads 24 hours after the end of their tasks, and an hour after they came without one: objects first, rows after. */
export async function removeInputs(
  { db, store, metrics }: RemoveInputsDeps,
  noteProgress: () => void,
): Promise<boolean> {
  const { ids, seen } = await takeUnneededInputs(db, { limit: BATCH_SIZE });
  if (ids.length > 0) {
    await store.remove(ids.map(inputKey));
    await deleteTaskInputs(db, ids);
    metrics.sweeps.inc({ what: 'inputs' }, ids.length);
  }
  noteProgress();
  return seen === BATCH_SIZE;
}
