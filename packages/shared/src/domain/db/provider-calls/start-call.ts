import type { Database } from '../create-database.js';
import { inputRows, isInput, type Statement } from '../statement.js';
import { FENCE } from '../tasks/fence.js';
import type { CallRow } from './call-row.js';

const START_CALL: Statement = {
  name: 'start-call',
  text: `
WITH ${inputRows('task text, attempt int, known int, id text, provider text, model text, slots int[], key text, cost int8')},
task AS (
  UPDATE tasks t SET call_count = t.call_count + 1 FROM input i
   WHERE ${isInput('t.id', 'task')} AND ${FENCE} AND t.call_count = i.known AND t.deadline_at > now()
     AND t.cancel_requested_at IS NULL
  RETURNING t.id),
started AS (
  INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, key_fingerprint, state, cost_micros)
  SELECT i.id, i.task, i.attempt, i.provider, i.model, cardinality(i.slots), i.slots, i.key, 'started', i.cost
    FROM input i JOIN task ON task.id = i.task
  RETURNING id)
SELECT started.id, i.place FROM input i JOIN started ON started.id = i.id`,
  batch: { distinct: 'task' },
};

const FIND_STARTED: Statement = {
  name: 'find-started-call',
  text: `SELECT c.id FROM provider_calls c JOIN tasks t ON t.id = c.task_id
 WHERE c.id = $1 AND t.status = 'pending' AND t.attempt = $2`,
};

/**
 * Records a call before it is made. Returns false to forbid it: the task has ended, is canceled or past its deadline. The
 * task may also belong to another attempt, or have calls unknown to the caller. Safe to repeat with the same call id.
 */
export async function startCall(
  db: Pick<Database, 'run'>,
  { taskId, knownCalls }: { readonly taskId: string; readonly knownCalls: number },
  call: CallRow,
): Promise<boolean> {
  const { id, attempt, provider, model, slots, keyFingerprint, costMicros } = call;
  const terms = { task: taskId, attempt, known: knownCalls, id, provider, model };
  const row = { ...terms, slots, key: keyFingerprint, cost: costMicros };
  if ((await db.run(START_CALL, [row])).length > 0) {
    return true;
  }
  return (await db.run(FIND_STARTED, [id, attempt])).length > 0;
}
