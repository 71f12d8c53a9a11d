import type { Database } from '../create-database.js';
import { isDataError } from '../database-error.js';
import { inputRows, isInput, type Statement } from '../statement.js';
import type { CallState } from './call-row.js';

/** Outcome of a call. */
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

/** Fields of an input row that has the outcome of a call. */
export const OUTCOME_FIELDS = 'call text, outcome text, failure text, spent int8, upstream text';

/** Returns the values of `OUTCOME_FIELDS`. */
function toOutcomeFields({ callId, state, detail, costMicros, upstreamId = null }: CallOutcome): object {
  return { call: callId, outcome: state, failure: detail, spent: costMicros, upstream: upstreamId };
}

/**
 * Writes the update of the calls of input rows `i`. A call recorded as cut or unknown still takes the definite outcome that its
 * own caller learns later. A second guess never replaces the first one, nor its cost. The handle of a job that outlived its
 * task's erasure goes with its end.
 */
export function updateCalls(input: string): string {
  return `
UPDATE provider_calls c
   SET state = i.outcome,
       detail = i.failure,
       cost_micros = i.spent,
       finished_at = now(),
       provider_request_id = COALESCE(c.provider_request_id, i.upstream),
       job_handle = CASE WHEN c.job_handle IS NULL
                           OR EXISTS (SELECT FROM tasks t WHERE t.id = c.task_id AND t.erased_at IS NOT NULL) THEN NULL
                         ELSE c.job_handle
                    END
  FROM ${input}
 WHERE ${isInput('c.id', 'call')}
   AND (c.state IN ('started', 'submitted') OR c.state IN ('cut', 'unknown') AND i.outcome NOT IN ('cut', 'unknown'))`;
}

const FINISH_CALL: Statement = {
  name: 'finish-call',
  text: `
WITH ${inputRows(OUTCOME_FIELDS)}${updateCalls('input i')}`,
  batch: { distinct: 'call' },
};

/** Writes the outcome of a call, once; by its id alone, so that an overtaken attempt can report it too. Safe to repeat. */
export async function finishCall(db: Pick<Database, 'run'>, outcome: CallOutcome): Promise<void> {
  await saveOutcome(outcome, (fields) => db.run(FINISH_CALL, [fields]));
}

/**
 * Runs a statement with the values of `OUTCOME_FIELDS`. A value that the database cannot hold must not hold up what was paid
 * for: the statement runs again without the upstream's own words.
 */
export async function saveOutcome<T>(
  outcome: CallOutcome | null,
  save: (fields: object) => Promise<T>,
): Promise<T> {
  if (outcome === null) {
    return save({});
  }
  try {
    return await save(toOutcomeFields(outcome));
  } catch (error) {
    if (!isDataError(error) || (outcome.upstreamId ?? null) === null) {
      throw error;
    }
    return save(toOutcomeFields({ ...outcome, upstreamId: null }));
  }
}
