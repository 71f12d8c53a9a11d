import { askedAs } from '../asked.js';
import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import type { CallRow } from './call-row.js';

const START_CALL: Statement = {
  name: 'start-call',
  text: `
WITH task AS (
  UPDATE tasks SET call_count = call_count + 1
   WHERE id = $1 AND status = 'pending' AND attempt = $2 AND call_count = $3::int AND deadline_at > now()
  RETURNING id)
INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, key_fingerprint, state, cost_micros)
SELECT $4, id, $2, $5, $6, cardinality($7::int[]), $7::int[], $8, 'started', $9::bigint FROM task
RETURNING id`,
  many: {
    name: 'start-calls',
    fields: ['task', 'attempt', 'known', 'id', 'provider', 'model', 'slots', 'key', 'cost'],
    distinct: 'task',
    text: `
WITH ${askedAs('task text, attempt int, known int, id text, provider text, model text, slots int[], key text, cost int8')},
task AS (
  UPDATE tasks t SET call_count = t.call_count + 1 FROM asked a
   WHERE t.id = a.task AND t.id = ANY (ARRAY(SELECT task FROM asked)) AND t.status = 'pending' AND t.attempt = a.attempt AND t.call_count = a.known
     AND t.deadline_at > now()
  RETURNING t.id),
started AS (
  INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, key_fingerprint, state, cost_micros)
  SELECT a.id, a.task, a.attempt, a.provider, a.model, cardinality(a.slots), a.slots, a.key, 'started', a.cost
    FROM asked a JOIN task ON task.id = a.task
  RETURNING id)
SELECT started.id, a.place FROM asked a JOIN started ON started.id = a.id`,
  },
};

const FIND_STARTED: Statement = {
  name: 'find-started-call',
  text: `SELECT c.id FROM provider_calls c JOIN tasks t ON t.id = c.task_id
 WHERE c.id = $1 AND t.status = 'pending' AND t.attempt = $2`,
};

/**
 * Writes down a call before it is made; false forbids it: the task has ended, its deadline has passed, it belongs to
 * another attempt, or there are calls that the caller does not know. Safe to repeat with the same call id.
 */
export async function startCall(
  db: Pick<Database, 'run'>,
  { taskId, knownCalls }: { readonly taskId: string; readonly knownCalls: number },
  call: CallRow,
): Promise<boolean> {
  const { id, attempt, provider, model, slots, keyFingerprint, costMicros } = call;
  const values = [taskId, attempt, knownCalls, id, provider, model, slots, keyFingerprint, costMicros];
  if ((await db.run(START_CALL, values)).length > 0) return true;
  return (await db.run(FIND_STARTED, [id, attempt])).length > 0;
}
