import { createHash } from 'node:crypto';
import { getHostPort } from '../../runtime/net/index.js';
import { getTaskType } from '../catalog/index.js';
import type { GenerateRequest, GivenRequest } from '../contract/index.js';
import { type Database, isConnectionError, type Statement, type Task } from '../db/index.js';
import { AppError } from '../errors/index.js';
import type { IdPrefix } from '../ids/index.js';
import type { TaskView } from '../presenters/index.js';
import type { AccountState, FindAccountState } from './account-state.js';
import { type AccountLimits, getHoldMicros, type InsertTask, type TaskPrice } from './insert-tasks.js';

/** Dependencies of `acceptGeneration`, and the limits that are also in `insertTask`. */
export interface AcceptDeps extends AccountLimits {
  readonly db: Pick<Database, 'run'>;
  readonly newId: (prefix: IdPrefix) => string;
  readonly insertTask: InsertTask;
  /** Prices a validated request by the active catalog; throws AppError for one that it no longer offers. */
  readonly getPrice: (request: GenerateRequest) => TaskPrice;
  readonly findAccountState: FindAccountState;
}

/** A validated request of an authenticated account. */
export interface AcceptInput {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly requestId: string;
  readonly request: GenerateRequest;
  readonly idempotencyKey?: string;
  /** Body as it was given, for the fingerprint; the request itself unless given. */
  readonly given?: GivenRequest;
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
  readonly expired: boolean;
}

/** Was the task with this id inserted? */
const FIND_ACCEPTED: Statement = {
  name: 'find-accepted',
  text: 'SELECT created_at AS "createdAt" FROM tasks WHERE id = $1',
};

/** Which task an idempotency key of an account names; a key is good for 24 hours. */
const FIND_BY_IDEMPOTENCY_KEY: Statement = {
  name: 'find-by-idempotency-key',
  text: `
SELECT id, idem_fingerprint AS fingerprint, created_at AS "createdAt",
       created_at <= now() - interval '24 hours' AS expired
  FROM tasks WHERE account_id = $1 AND idem_key = $2`,
};

/** Frees an expired idempotency key. */
const CLEAR_IDEMPOTENCY_KEY: Statement = {
  name: 'clear-idempotency-key',
  text: `
UPDATE tasks SET idem_key = NULL, idem_fingerprint = NULL
 WHERE id = $1 AND idem_key = $2 AND created_at <= now() - interval '24 hours'`,
};

/** Whether a delivery of an account waits for a host. */
const FIND_WEBHOOK_HOST: Statement = {
  name: 'find-webhook-host',
  text: 'SELECT pending FROM webhook_hosts WHERE account_id = $1 AND host_port = $2',
};

/** A key can expire and be taken again while we look; more rounds than this mean something is wrong. */
const MAX_ROUNDS = 5;

/**
 * Accepts a generation: holds its price and inserts the task in one statement, or replays the task that the idempotency
 * key already names. Throws AppError: `INSUFFICIENT_BALANCE`, `RATE_LIMITED` (too many open or failed tasks, or webhooks), `FORBIDDEN`
 * (suspended), `BAD_REQUEST` (key used with another body), and the database's own.
 */
export async function acceptGeneration(deps: AcceptDeps, input: AcceptInput): Promise<Accepted> {
  const fingerprint =
    input.idempotencyKey === undefined ? null : fingerprintRequest(input.given ?? input.request);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const earlier = await replay(deps, input, fingerprint);
    if (earlier) return earlier;
    const accepted = await insert(deps, input, fingerprint);
    if (accepted === 'key taken') continue;
    if (accepted) return accepted;
    // No row does not mean no money: the request that had the money may have carried the same key.
    const winner = await replay(deps, input, fingerprint);
    if (winner) return winner;
    const refusal = await toRefusal(deps, input);
    if (refusal) throw refusal;
  }
  throw new AppError('SERVICE_UNAVAILABLE', {
    message: 'an idempotency key kept changing hands',
    retryAfterSeconds: 1,
  });
}

/** Returns the task that the idempotency key of an input names already; null for none. Throws AppError `BAD_REQUEST` for another body. */
export async function replayGeneration(
  deps: Pick<AcceptDeps, 'db'>,
  input: AcceptInput,
): Promise<Accepted | null> {
  return replay(deps, input, fingerprintRequest(input.given ?? input.request));
}

async function replay(
  deps: Pick<AcceptDeps, 'db'>,
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
  const price = deps.getPrice(request);
  const id = deps.newId('gen');
  const { accountId, apiKeyId, requestId, idempotencyKey } = input;
  try {
    const inserted = await deps.insertTask({
      id,
      accountId,
      apiKeyId,
      requestId,
      request,
      price,
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
  return error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE' && !isConnectionError(error);
}

/** The answer to a COMMIT can be lost although it happened: the id was ours, so one look tells. */
async function committedAllTheSame(deps: AcceptDeps, id: string): Promise<Date | null> {
  try {
    const [row] = await deps.db.run<Pick<Task, 'createdAt'>>(FIND_ACCEPTED, [id]);
    return row?.createdAt ?? null;
  } catch {
    return null; // The first error says more.
  }
}

async function toRefusal(deps: AcceptDeps, input: AcceptInput): Promise<AppError | null> {
  const account = await deps.findAccountState(input.accountId);
  if (!account) return new AppError('UNAUTHORIZED');
  if (account.status !== 'active') return new AppError('FORBIDDEN');
  const most = account.maxOpenTasks ?? deps.maxPendingTasks;
  if (account.openCount >= most) {
    return new AppError('RATE_LIMITED', {
      publicMessage: `This account has ${account.openCount} open tasks, the most it may have is ${most}. Wait for some to finish.`,
      retryAfterSeconds: 5,
    });
  }
  const failures = describeFailures(account);
  if (failures) return failures;
  const crowd = await describeCrowd(deps, input, account);
  if (crowd !== null) return new AppError('RATE_LIMITED', { publicMessage: crowd, retryAfterSeconds: 60 });
  // Money may have come back between the two statements; then the next round gets it.
  return account.available < getHoldMicros(input.request, deps.getPrice(input.request))
    ? new AppError('INSUFFICIENT_BALANCE')
    : null;
}

/** Returns the error of an account of which too many tasks failed because of their requests; null for any other. */
function describeFailures(account: AccountState): AppError | null {
  const { failedTasks, maxFailedTasks, failedTasksSeconds, failedTasksRetrySeconds } = account;
  if (maxFailedTasks === null || failedTasks < maxFailedTasks) return null;
  return new AppError('RATE_LIMITED', {
    publicMessage: `${failedTasks} tasks of this account failed because of their requests in the last ${failedTasksSeconds} seconds, the most it may have is ${maxFailedTasks} (MAX_FAILED_TASKS). Moderation, refused input and unusable image_urls count.`,
    retryAfterSeconds: failedTasksRetrySeconds ?? 1,
  });
}

/** Says which limit of webhooks a request would exceed; null for none. */
async function describeCrowd(
  { db, maxPendingDeliveries, maxPendingHosts }: AcceptDeps,
  { accountId, request }: AcceptInput,
  { pendingDeliveries, pendingHosts }: AccountState,
): Promise<string | null> {
  if (request.webhook_url === undefined) return null;
  const advice = 'Wait for some to be delivered or to fail, or leave webhook_url out.';
  if (pendingDeliveries >= maxPendingDeliveries)
    return `This account has ${pendingDeliveries} webhooks that are not delivered yet, the most it may have is ${maxPendingDeliveries} (MAX_PENDING_DELIVERIES). ${advice}`;
  if (pendingHosts < maxPendingHosts) return null;
  const host = getHostPort(new URL(request.webhook_url));
  if ((await db.run(FIND_WEBHOOK_HOST, [accountId, host])).length > 0) return null;
  return `Webhooks of this account wait for ${pendingHosts} hosts, the most it may have is ${maxPendingHosts} (MAX_PENDING_HOSTS). ${advice}`;
}

/** Fingerprints a body (SHA-256, 32 bytes) with the defaults of the specification, whatever the catalog says by now. */
function fingerprintRequest(request: GivenRequest): Buffer {
  const canonical = JSON.stringify([
    request.model,
    request.prompt,
    request.negative_prompt ?? null,
    request.aspect_ratio ?? '16:9',
    request.num_outputs ?? 1,
    request.resolution ?? '1k',
    request.image_urls ?? null,
    request.webhook_url ?? null,
    request.duration ?? null,
  ]);
  return createHash('sha256').update(canonical).digest();
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
    outputKeys: [],
  };
}
