import { getTaskType } from '../catalog/index.js';
import type { GivenRequest, KeyScope, TaskRequest } from '../contract/index.js';
import { type Database, isConnectionError, type Statement, type Task } from '../db/index.js';
import { AppError } from '../errors/index.js';
import type { IdPrefix } from '../ids/index.js';
import type { TaskView } from '../presenters/index.js';
import { fingerprintRequest, type RequestFingerprint } from '../task/index.js';
import { explainRefusal } from './explain-refusal.js';
import type { InsertTask, WaitingRequest } from './insert-tasks.js';
import {
  type ExceededLimit,
  findCapValue,
  type HashValue,
  type JudgeSubmit,
  type Submit,
} from './judge-submit.js';
import { getHoldMicros, type TaskPrice } from './price.js';

/** Dependencies of `acceptGeneration` and of what judges requests before. */
export interface AcceptDeps {
  readonly db: Pick<Database, 'run'>;
  readonly newId: (prefix: IdPrefix) => string;
  readonly insertTask: InsertTask;
  readonly judgeSubmit: JudgeSubmit;
  /** Prices a validated request by the active catalog; throws AppError for one that it no longer offers. */
  readonly getPrice: (request: TaskRequest) => TaskPrice;
  readonly hashValue: HashValue;
  /** TOP_UP_URL. */
  readonly topUpUrl?: string | undefined;
}

/** A validated request, and who makes it. */
export interface RequestToJudge {
  readonly accountId: string;
  readonly apiKeyId: string;
  /** Scopes of the key; `read` shows the balance. */
  readonly scopes?: readonly KeyScope[];
  /** Key of metadata whose values have daily caps of their own; null or absent: none. */
  readonly capPerKey?: string | null;
  readonly request: TaskRequest;
}

/** A validated request of an authenticated account. */
export interface AcceptInput extends RequestToJudge {
  readonly requestId: string;
  /** Trace that the request belongs to. */
  readonly traceparent?: string | null;
  readonly idempotencyKey?: string;
  /** Body as it was given, for the fingerprint; the request itself unless given. */
  readonly given?: GivenRequest;
  /** Stands for the request beside the idempotency key; made from `given` unless given. */
  readonly fingerprint?: RequestFingerprint;
  /** Request of the facade that waits for the task, if it is a new one. */
  readonly waiting?: WaitingRequest;
}

/** The task as it was when it was accepted; `replayed` when an earlier request with the same key made it. */
export interface Accepted {
  readonly task: TaskView;
  readonly replayed: boolean;
  /** How many open tasks the account had by then, this one included; absent when that is not known. */
  readonly openCount?: number;
}

interface KeyHolder extends Readonly<Pick<Task, 'id' | 'createdAt'>> {
  readonly fingerprint: Buffer;
  /** Null in rows of releases that did not know the added fields. */
  readonly added: Buffer | null;
  readonly expired: boolean;
}

/** Finds the task with this id, if it was inserted. */
const FIND_ACCEPTED: Statement = {
  name: 'find-accepted',
  text: 'SELECT created_at AS "createdAt" FROM tasks WHERE id = $1',
};

/** Finds the task that an idempotency key of an account names; a key is valid for 24 hours. */
const FIND_BY_IDEMPOTENCY_KEY: Statement = {
  name: 'find-by-idempotency-key',
  text: `
SELECT id, idem_fingerprint AS fingerprint, idem_added AS added, created_at AS "createdAt",
       created_at <= now() - interval '24 hours' AS expired
  FROM tasks WHERE account_id = $1 AND idem_key = $2`,
};

/** Frees an expired idempotency key. */
const CLEAR_IDEMPOTENCY_KEY: Statement = {
  name: 'clear-idempotency-key',
  text: `
UPDATE tasks SET idem_key = NULL, idem_fingerprint = NULL, idem_added = NULL
 WHERE id = $1 AND idem_key = $2 AND created_at <= now() - interval '24 hours'`,
};

/** Refusal of a request that is to share the task of an equal one. */
export class EqualUnderWayError extends AppError {
  constructor() {
    super('RATE_LIMITED', {
      publicMessage: 'Equal requests of this key are under way. Repeat the request to get their images.',
      retryAfterSeconds: 1,
    });
  }
}

/**
 * Accepts a generation: holds its price and inserts the task in one statement, or replays the task that the idempotency
 * key already names. Throws AppError: `INSUFFICIENT_BALANCE`, `RATE_LIMITED` (too many open or failed tasks, or webhooks), `FORBIDDEN`
 * (suspended), `BAD_REQUEST` (key used with another body), and the database's own. Throws EqualUnderWayError for a waiting
 * request that is to share the task of an equal one.
 */
export async function acceptGeneration(deps: AcceptDeps, input: AcceptInput): Promise<Accepted> {
  const fingerprint = input.idempotencyKey === undefined ? null : getFingerprint(input);
  const earlier = await replay(deps, input, fingerprint);
  if (earlier) {
    return earlier;
  }
  const outcome = await insert(deps, input, fingerprint);
  if (outcome !== 'key taken' && !(outcome instanceof AppError)) {
    return outcome;
  }
  // Also after a refusal: the request that took the money may have carried the same key.
  const winner = await replay(deps, input, fingerprint);
  if (winner) {
    return winner;
  }
  throw outcome === 'key taken'
    ? new AppError('SERVICE_UNAVAILABLE', {
        message: 'an idempotency key was taken, and has expired since',
        retryAfterSeconds: 1,
      })
    : outcome;
}

/** Returns the error of a request that would be refused now; null for none. Holds nothing. Throws AppError where it has no price. */
export async function findRefusal(
  deps: Pick<AcceptDeps, 'getPrice' | 'judgeSubmit' | 'hashValue' | 'topUpUrl'>,
  input: RequestToJudge,
  { isLeast = false }: { readonly isLeast?: boolean } = {},
): Promise<AppError | null> {
  const submit = toSubmit(deps, input);
  const [limit] = await deps.judgeSubmit(submit);
  return limit ? explain(deps, limit, submit, { ...input, isLeast }) : null;
}

/** Prices a request. Throws AppError for one that is not on offer, or lacks the value of a cap. */
export function toSubmit(
  deps: Pick<AcceptDeps, 'getPrice' | 'hashValue'>,
  input: RequestToJudge,
): Submit & { readonly request: TaskRequest } {
  const { accountId, apiKeyId, request } = input;
  return { accountId, apiKeyId, request, price: deps.getPrice(request), capValue: findCapValue(deps, input) };
}

/** Returns the task that the idempotency key of an input names already; null for none. Throws AppError `BAD_REQUEST` for another body. */
export async function replayGeneration(
  deps: Pick<AcceptDeps, 'db'>,
  input: AcceptInput,
): Promise<Accepted | null> {
  return replay(deps, input, getFingerprint(input));
}

async function replay(
  deps: Pick<AcceptDeps, 'db'>,
  input: AcceptInput,
  fingerprint: RequestFingerprint | null,
): Promise<Accepted | null> {
  if (fingerprint === null) {
    return null;
  }
  const [holder] = await deps.db.run<KeyHolder>(FIND_BY_IDEMPOTENCY_KEY, [
    input.accountId,
    input.idempotencyKey,
  ]);
  if (!holder) {
    return null;
  }
  if (holder.expired) {
    await deps.db.run(CLEAR_IDEMPOTENCY_KEY, [holder.id, input.idempotencyKey]);
    return null;
  }
  const isEqual =
    fingerprint.first.equals(holder.fingerprint) &&
    (holder.added === null || fingerprint.added.equals(holder.added));
  if (!isEqual) {
    throw new AppError('BAD_REQUEST', {
      publicMessage:
        'This Idempotency-Key was used with another request body. Use a new key for a new request.',
    });
  }
  const view = pendingView(input, holder.id, holder.createdAt);
  // A release that did not know the added fields has stored none of them.
  return { task: holder.added === null ? { ...view, metadata: null } : view, replayed: true };
}

async function insert(
  deps: AcceptDeps,
  input: AcceptInput,
  fingerprint: RequestFingerprint | null,
): Promise<Accepted | AppError | 'key taken'> {
  const id = deps.newId('gen');
  const submit = toSubmit(deps, input);
  const { requestId, idempotencyKey, traceparent, waiting } = input;
  try {
    const inserted = await deps.insertTask({
      ...submit,
      id,
      requestId,
      traceparent,
      idempotencyKey,
      fingerprint,
      waiting,
    });
    if (inserted === 'equal under way') {
      throw new EqualUnderWayError();
    }
    if (inserted === 'key taken') {
      return inserted;
    }
    if ('name' in inserted) {
      return explain(deps, inserted, submit, input);
    }
    const { createdAt, openCount } = inserted;
    return { task: pendingView(input, id, createdAt), replayed: false, openCount };
  } catch (error) {
    const survivor =
      isTurnedAway(error) || error instanceof EqualUnderWayError ? null : await committedAllTheSame(deps, id);
    if (survivor) {
      return { task: pendingView(input, id, survivor), replayed: false };
    }
    throw error;
  }
}

function explain(
  { topUpUrl }: Pick<AcceptDeps, 'topUpUrl'>,
  limit: ExceededLimit,
  { request, price }: Submit,
  { scopes, capPerKey = null, isLeast = false }: RequestToJudge & { readonly isLeast?: boolean },
): AppError {
  return explainRefusal(limit, {
    costMicros: getHoldMicros(request, price),
    isLeast,
    showsBalance: scopes?.includes('read') ?? false,
    capPerKey,
    topUpUrl,
  });
}

/** Tells if a busy database reported that it did nothing; reading the task would only burden it more. */
function isTurnedAway(error: unknown): boolean {
  return error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE' && !isConnectionError(error);
}

/** Finds a task whose COMMIT succeeded although its response was lost. The id is unique, so one read is enough. */
async function committedAllTheSame(deps: AcceptDeps, id: string): Promise<Date | null> {
  try {
    const [row] = await deps.db.run<Pick<Task, 'createdAt'>>(FIND_ACCEPTED, [id]);
    return row?.createdAt ?? null;
  } catch {
    return null; // The first error says more.
  }
}

function getFingerprint({ fingerprint, given, request }: AcceptInput): RequestFingerprint {
  return fingerprint ?? fingerprintRequest(given ?? request);
}

function pendingView(input: AcceptInput, id: string, createdAt: Date): TaskView {
  return {
    id,
    status: 'pending',
    model: input.request.model,
    type: getTaskType(input.request),
    costMicros: 0n,
    error: null,
    createdAt,
    startedAt: null,
    completedAt: null,
    metadata: input.request.metadata ?? null,
    outputKeys: [],
  };
}
