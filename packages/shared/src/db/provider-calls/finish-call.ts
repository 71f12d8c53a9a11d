import { askedAs } from '../asked.js';
import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import type { CallState } from './call-row.js';

/** What became of a call. */
export interface CallOutcome {
  readonly callId: string;
  readonly state: Exclude<CallState, 'started' | 'submitted'>;
  /** The class of a failure. */
  readonly detail: string | null;
  /** Micro-dollars. */
  readonly costMicros: bigint;
  /** The provider's own id of the call, where it is known only now. */
  readonly upstreamId?: string | null;
}

// What was written down as cut or unknown by others may still turn out better: the caller itself knows best.
const FINISH_CALL: Statement = {
  name: 'finish-call',
  text: `
UPDATE provider_calls SET state = $2, detail = $3, cost_micros = $4::bigint, finished_at = now(),
       provider_request_id = COALESCE(provider_request_id, $5)
 WHERE id = $1 AND state IN ('started', 'submitted', 'cut', 'unknown')`,
  many: {
    name: 'finish-calls',
    fields: ['id', 'state', 'detail', 'cost', 'upstream'],
    distinct: 'id',
    text: `
WITH ${askedAs('id text, state text, detail text, cost int8, upstream text')}
UPDATE provider_calls c SET state = a.state, detail = a.detail, cost_micros = a.cost, finished_at = now(),
       provider_request_id = COALESCE(c.provider_request_id, a.upstream)
  FROM asked a WHERE c.id = a.id AND c.id = ANY (ARRAY(SELECT id FROM asked)) AND c.state IN ('started', 'submitted', 'cut', 'unknown')`,
  },
};

/** Writes down what became of a call; by its id alone, so that also an overtaken attempt can say it. Safe to repeat. */
export async function finishCall(db: Pick<Database, 'run'>, outcome: CallOutcome): Promise<void> {
  const { callId, state, detail, costMicros, upstreamId = null } = outcome;
  await db.run(FINISH_CALL, [callId, state, detail, costMicros, upstreamId]);
}
