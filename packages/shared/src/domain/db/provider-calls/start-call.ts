import type { Database } from '../create-database.js';
import { inputRows, isInput, type Statement } from '../statement.js';
import { FENCE } from '../tasks/fence.js';
import type { CallRow } from './call-row.js';

const START_CALL: Statement = {
  name: 'start-call',
  text: `
WITH ${inputRows('task text, attempt int, known int, id text, provider text, model text, slots int[], key text, cost int8, ceiling int8')},
fenced AS MATERIALIZED (
  SELECT i.* FROM input i JOIN tasks t ON ${isInput('t.id', 'task')}
   WHERE ${FENCE} AND t.call_count = i.known AND t.deadline_at > now() AND t.cancel_requested_at IS NULL
     FOR NO KEY UPDATE OF t),
refused AS MATERIALIZED (
  SELECT r.* FROM (SELECT array_agg(f.id ORDER BY f.place) AS calls, array_agg(f.provider ORDER BY f.place) AS providers,
                          array_agg(f.cost ORDER BY f.place) AS costs, min(f.ceiling) AS ceiling FROM fenced f) c,
       judge_calls(c.calls, c.providers, c.costs, c.ceiling) r),
judged AS MATERIALIZED (SELECT f.*, r.refusal FROM fenced f LEFT JOIN refused r ON r.call = f.id),
task AS (
  UPDATE tasks t SET call_count = t.call_count + 1 FROM judged i
   WHERE ${isInput('t.id', 'task')} AND i.refusal IS NULL
  RETURNING t.id),
started AS (
  INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, key_fingerprint, state, cost_micros)
  SELECT i.id, i.task, i.attempt, i.provider, i.model, cardinality(i.slots), i.slots, i.key, 'started', i.cost
    FROM judged i JOIN task ON task.id = i.task
  RETURNING id)
SELECT i.refusal, i.place FROM judged i LEFT JOIN started ON started.id = i.id WHERE started.id IS NOT NULL OR i.refusal IS NOT NULL`,
  batch: { distinct: 'task' },
};

const FIND_STARTED: Statement = {
  name: 'find-started-call',
  text: `SELECT c.id FROM provider_calls c JOIN tasks t ON t.id = c.task_id
 WHERE c.id = $1 AND t.status = 'pending' AND t.attempt = $2`,
};

/** Reason why a call may not start now: its provider is paused, or it would lift the day's upstream cost above a ceiling. */
export type CallRefusal = 'paused' | 'ceiling';

/** Terms of a new call. */
export interface StartTerms {
  readonly taskId: string;
  readonly knownCalls: number;
  /** Micro-dollars that all calls of the UTC day may cost; absent or null: no ceiling. */
  readonly ceilingMicros?: bigint | null;
}

/**
 * Records a call before it is made. Returns `forbidden` when the task has ended, is canceled or past its deadline. The
 * task may also belong to another attempt, or have calls unknown to the caller. Safe to repeat with the same call id.
 */
export async function startCall(
  db: Pick<Database, 'run'>,
  { taskId, knownCalls, ceilingMicros = null }: StartTerms,
  call: CallRow,
): Promise<'started' | 'forbidden' | CallRefusal> {
  const { id, attempt, provider, model, slots, keyFingerprint, costMicros } = call;
  const terms = { task: taskId, attempt, known: knownCalls, id, provider, model, ceiling: ceilingMicros };
  const row = { ...terms, slots, key: keyFingerprint, cost: costMicros };
  const [result] = await db.run<{ readonly refusal: CallRefusal | null }>(START_CALL, [row]);
  if (result) {
    return result.refusal ?? 'started';
  }
  return (await db.run(FIND_STARTED, [id, attempt])).length > 0 ? 'started' : 'forbidden';
}
