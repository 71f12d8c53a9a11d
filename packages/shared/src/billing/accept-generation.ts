import { priceOf, typeOf } from '../catalog/index.js';
import type { GenerateRequest } from '../contract/index.js';
import { type Database, isConnectionTrouble } from '../db/index.js';
import { AppError } from '../errors/index.js';
import type { IdPrefix } from '../ids/index.js';
import type { TaskView } from '../presenters/index.js';
import { CLEAR_IDEMPOTENCY_KEY, FIND_ACCEPTED, FIND_BY_IDEMPOTENCY_KEY } from './accept-sql.js';
import { createStandingFinder, type FindStanding } from './account-standing.js';
import { fingerprintOf } from './fingerprint-of.js';
import { createTaskInserter, type InsertTask } from './insert-task.js';

/** What accepting needs. */
export interface AcceptDeps {
  readonly db: Pick<Database, 'run'>;
  readonly newId: (prefix: IdPrefix) => string;
  /** Most open tasks of one account. */
  readonly maxPendingTasks: number;
  /** From submit to the task's deadline, in milliseconds. */
  readonly deadlineMs: number;
  /** How tasks are inserted: one statement each unless given. */
  readonly insertTask?: InsertTask;
  /** How an account is looked at after a refusal: one statement each unless given. */
  readonly findStanding?: FindStanding;
}

/** A validated request of an authenticated account. */
export interface AcceptInput {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly requestId: string;
  readonly request: GenerateRequest;
  readonly idempotencyKey?: string;
}

/** The task as it was when it was accepted; `replayed` when an earlier request with the same key made it. */
export interface Accepted {
  readonly task: TaskView;
  readonly replayed: boolean;
  /** How many open tasks the account had by then, this one included; absent when that is not known. */
  readonly openCount?: number;
}

interface KeyHolder {
  readonly id: string;
  readonly fingerprint: Buffer;
  readonly expired: boolean;
  readonly createdAt: Date;
}

/** A key can expire and be taken again while we look; more rounds than this mean something is wrong. */
const MAX_ROUNDS = 5;

/**
 * Accepts a generation: holds its price and inserts the task in one statement, or replays the task that the idempotency
 * key already names. Throws AppError: `INSUFFICIENT_BALANCE`, `RATE_LIMITED` (too many open tasks), `FORBIDDEN`
 * (suspended), `BAD_REQUEST` (key used with another body), and the database's own.
 */
export async function acceptGeneration(deps: AcceptDeps, input: AcceptInput): Promise<Accepted> {
  const fingerprint = input.idempotencyKey === undefined ? null : fingerprintOf(input.request);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const earlier = await replay(deps, input, fingerprint);
    if (earlier) return earlier;
    const accepted = await insert(deps, input, fingerprint);
    if (accepted === 'key taken') continue;
    if (accepted) return accepted;
    // No row does not mean no money: the request that had the money may have carried the same key.
    const winner = await replay(deps, input, fingerprint);
    if (winner) return winner;
    const refusal = await refusalOf(deps, input);
    if (refusal) throw refusal;
  }
  throw new AppError('SERVICE_UNAVAILABLE', {
    message: 'an idempotency key kept changing hands',
    retryAfterSeconds: 1,
  });
}

async function replay(
  deps: AcceptDeps,
  input: AcceptInput,
  fingerprint: Buffer | null,
): Promise<Accepted | null> {
  if (fingerprint === null) return null;
  const [holder] = await deps.db.run<KeyHolder>(FIND_BY_IDEMPOTENCY_KEY, [
    input.accountId,
    input.idempotencyKey,
  ]);
  if (!holder) return null;
  if (holder.expired) {
    await deps.db.run(CLEAR_IDEMPOTENCY_KEY, [holder.id, input.idempotencyKey]);
    return null;
  }
  if (!fingerprint.equals(holder.fingerprint)) {
    throw new AppError('BAD_REQUEST', {
      publicMessage:
        'This Idempotency-Key was used with another request body. Use a new key for a new request.',
    });
  }
  return { task: pendingView(input, holder.id, holder.createdAt), replayed: true };
}

async function insert(
  deps: AcceptDeps,
  input: AcceptInput,
  fingerprint: Buffer | null,
): Promise<Accepted | 'key taken' | null> {
  const { request } = input;
  const { unitMicros, holdMicros } = priceOf(request);
  const id = deps.newId('gen');
  const insertTask = deps.insertTask ?? createTaskInserter(deps);
  const { accountId, apiKeyId, requestId, idempotencyKey } = input;
  try {
    const inserted = await insertTask({
      id,
      accountId,
      apiKeyId,
      requestId,
      request,
      unitMicros,
      holdMicros,
      idempotencyKey,
      fingerprint,
    });
    if (inserted === 'key taken') return inserted;
    if (!inserted) return null;
    const { createdAt, openCount } = inserted;
    return { task: pendingView(input, id, createdAt), replayed: false, openCount };
  } catch (error) {
    const survivor = isTurnedAway(error) ? null : await committedAllTheSame(deps, id);
    if (survivor) return { task: pendingView(input, id, survivor), replayed: false };
    throw error;
  }
}

/** Whether a busy database said that it did nothing; a look at the task would only be more work for it. */
function isTurnedAway(error: unknown): boolean {
  return error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE' && !isConnectionTrouble(error);
}

/** The answer to a COMMIT can be lost although it happened: the id was ours, so one look tells. */
async function committedAllTheSame(deps: AcceptDeps, id: string): Promise<Date | null> {
  try {
    const [row] = await deps.db.run<{ createdAt: Date }>(FIND_ACCEPTED, [id]);
    return row?.createdAt ?? null;
  } catch {
    return null; // The first error says more.
  }
}

async function refusalOf(deps: AcceptDeps, input: AcceptInput): Promise<AppError | null> {
  const account = await (deps.findStanding ?? createStandingFinder(deps.db))(input.accountId);
  if (!account) return new AppError('UNAUTHORIZED');
  if (account.status !== 'active') return new AppError('FORBIDDEN');
  const most = account.maxOpenTasks ?? deps.maxPendingTasks;
  if (account.openCount >= most) {
    return new AppError('RATE_LIMITED', {
      publicMessage: `This account has ${account.openCount} open tasks, the most it may have is ${most}. Wait for some to finish.`,
      retryAfterSeconds: 5,
    });
  }
  // Money may have come back between the two statements; then the next round gets it.
  return account.available < priceOf(input.request).holdMicros ? new AppError('INSUFFICIENT_BALANCE') : null;
}

function pendingView(input: AcceptInput, id: string, createdAt: Date): TaskView {
  return {
    id,
    status: 'pending',
    model: input.request.model,
    type: typeOf(input.request),
    costMicros: 0n,
    error: null,
    createdAt,
    startedAt: null,
    completedAt: null,
    outputKeys: [],
  };
}
