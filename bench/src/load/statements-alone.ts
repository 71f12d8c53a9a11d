import { settleTask } from '@image-gateway/shared/billing';
import {
  claimDeliveries,
  claimTask,
  createDatabase,
  type Database,
  findDueOldest,
  finishDelivery,
  startCall,
} from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import type pg from 'pg';
import { countFor } from './count-for.js';

const TERMS = { workerId: 'bench', leaseMs: 60_000, maxTries: 3 };
/** As many deliveries as a webhook worker has under way at a time. */
const DELIVERIES = 64;

/**
 * Ends pending tasks for so many seconds with the statements of a worker alone: no queue, no provider, no image, no store. Returns how
 * many ended a second. Throws Error when there are not enough tasks.
 */
export async function endTasksAlone(
  { databaseUrl, pool }: { readonly databaseUrl: string; readonly pool: pg.Pool },
  { seconds, atATime }: { readonly seconds: number; readonly atATime: number },
): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(
    "SELECT id FROM tasks WHERE phase = 'queued' ORDER BY created_at",
  );
  return withDatabase(databaseUrl, (db) =>
    countFor(seconds, atATime, async () => {
      const next = rows.shift();
      if (next === undefined) {
        throw new Error('there are not enough tasks for the statements alone: give a longer --backlog');
      }
      await endTask(db, next.id);
    }),
  );
}

/** Statements of a worker for a task of one image, which its first call draws. */
async function endTask(db: Database, id: string): Promise<void> {
  const task = await claimTask(db, TERMS, id);
  if (!task) {
    return;
  }
  const { attempt } = task;
  const call = {
    id: newId('call'),
    attempt,
    provider: 'sandbox',
    model: 'sandbox',
    requestId: null,
    jobHandle: null,
    createdAt: new Date(),
    slots: [0],
    keyFingerprint: null,
    state: 'started' as const,
    detail: null,
    costMicros: 0n,
  };
  await startCall(db, { taskId: id, knownCalls: 0 }, call);
  const output = {
    index: 0,
    slot: 0,
    key: `images/${id}/0.png`,
    contentType: 'image/png',
    bytes: 68,
    width: 1,
    height: 1,
    sha256: '0'.repeat(64),
  };
  const outcome = { callId: call.id, state: 'succeeded' as const, detail: null, costMicros: 0n };
  await settleTask(
    { db, newId, fileUrl: 'http://files' },
    { taskId: id, attempt, reason: 'none', isClean: true, last: { output, outcome } },
  );
}

/** Delivers all due webhooks with the statements of a worker alone, and returns how many a second. */
export async function deliverAlone(databaseUrl: string): Promise<number> {
  return withDatabase(databaseUrl, async (db) => {
    const from = performance.now();
    let done = 0;
    for (
      let due = await findDueOldest(db, DELIVERIES);
      due.length > 0;
      due = await findDueOldest(db, DELIVERIES)
    ) {
      const claimed = await claimDeliveries(
        db,
        due.map(({ id }) => id),
        TERMS.leaseMs,
      );
      await Promise.all(
        claimed.map(({ id, attempt }) =>
          finishDelivery(db, { id, attempt, end: { state: 'delivered' }, status: 200, error: null }),
        ),
      );
      done += claimed.length;
    }
    return (done * 1_000) / (performance.now() - from);
  });
}

async function withDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = createDatabase({ url, applicationName: 'bench', max: 10 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
