import { getHostPort } from '../../runtime/net/index.js';
import type { GenerateRequest } from '../contract/index.js';
import { type Database, findKeySpend, type KeySpend, listCaps, type Statement } from '../db/index.js';
import { AppError } from '../errors/index.js';
import { formatDollars } from '../money/index.js';
import type { AccountState, FindAccountState } from './account-state.js';
import { findCapValue, type HashValue } from './find-cap-value.js';
import { type DefaultLimits, getHoldMicros, type TaskPrice } from './insert-tasks.js';

/** Dependencies of `explainRefusal`. */
export interface RefusalDeps extends DefaultLimits {
  readonly db: Pick<Database, 'run'>;
  readonly getPrice: (request: GenerateRequest) => TaskPrice;
  readonly findAccountState: FindAccountState;
  readonly hashValue: HashValue;
}

const CAP_TEXTS = { day: 'daily cap', month: 'monthly cap', total: 'total cap' } as const;

/** Finds the host if a delivery of the account waits for it. */
const FIND_WEBHOOK_HOST: Statement = {
  name: 'find-webhook-host',
  text: 'SELECT pending FROM webhook_hosts WHERE account_id = $1 AND host_port = $2',
};

/**
 * Explains why a task was not inserted. Returns null when no reason is left, because money or open-task slots were freed
 * between the two statements.
 */
export async function explainRefusal(
  deps: RefusalDeps,
  input: {
    readonly accountId: string;
    readonly apiKeyId: string;
    readonly capPerKey?: string | null;
    readonly request: GenerateRequest;
  },
): Promise<AppError | null> {
  const account = await deps.findAccountState(input.accountId);
  if (!account) {
    return new AppError('UNAUTHORIZED');
  }
  if (account.status !== 'active') {
    return new AppError('FORBIDDEN');
  }
  const maxOpenTasks = account.maxOpenTasks ?? deps.maxOpenTasks;
  if (account.openCount >= maxOpenTasks) {
    return new AppError('RATE_LIMITED', {
      publicMessage: `This account has ${account.openCount} open tasks, the most it may have is ${maxOpenTasks}. Wait for some to finish.`,
      retryAfterSeconds: 5,
    });
  }
  const failures = describeFailures(account);
  if (failures) {
    return failures;
  }
  const crowd = await describeCrowd(deps, input, account);
  if (crowd !== null) {
    return new AppError('RATE_LIMITED', { publicMessage: crowd, retryAfterSeconds: 60 });
  }
  const holdMicros = getHoldMicros(input.request, deps.getPrice(input.request));
  const capValue = findCapValue(deps, input);
  const cap = describeCap(await findKeySpend(deps.db, { ...input, capValue }), holdMicros);
  if (cap !== null) {
    return new AppError('INSUFFICIENT_BALANCE', { publicMessage: cap });
  }
  return account.available < holdMicros ? new AppError('INSUFFICIENT_BALANCE') : null;
}

/** Returns the error of an account of which too many tasks failed because of their requests; null for any other. */
function describeFailures(account: AccountState): AppError | null {
  const { failedTasks, maxFailedTasks, failedTasksSeconds, failedTasksRetrySeconds } = account;
  if (maxFailedTasks === null || failedTasks < maxFailedTasks) {
    return null;
  }
  return new AppError('RATE_LIMITED', {
    publicMessage: `${failedTasks} tasks of this account failed because of their requests in the last ${failedTasksSeconds} seconds, the most it may have is ${maxFailedTasks} (MAX_FAILED_TASKS). Moderation, refused input and unusable image_urls count.`,
    retryAfterSeconds: failedTasksRetrySeconds ?? 1,
  });
}

/** Says which cap of a key an amount would exceed; null for none. */
function describeCap(spend: KeySpend | null, holdMicros: bigint): string | null {
  const caps = spend ? listCaps(spend) : [];
  const cap = caps.find(({ limitMicros, usedMicros }) => usedMicros + holdMicros > limitMicros);
  if (!cap) {
    return null;
  }
  const [used, limit] = [formatDollars(cap.usedMicros), formatDollars(cap.limitMicros)];
  if (cap.window === 'day_per') {
    return `Requests with this metadata.${spend?.capPerKey ?? ''} have spent or reserved ${used} of their ${CAP_TEXTS.day} of ${limit} with this key (cap_day_per).`;
  }
  return `This key has spent or reserved ${used} of its ${CAP_TEXTS[cap.window]} of ${limit} (cap_${cap.window}).`;
}

/** Says which limit of webhooks a request would exceed; null for none. */
async function describeCrowd(
  { db, maxPendingDeliveries, maxPendingHosts }: RefusalDeps,
  { accountId, request }: { readonly accountId: string; readonly request: GenerateRequest },
  { pendingDeliveries, pendingHosts }: AccountState,
): Promise<string | null> {
  if (request.webhook_url === undefined) {
    return null;
  }
  const advice = 'Wait for some to be delivered or to fail, or leave webhook_url out.';
  if (pendingDeliveries >= maxPendingDeliveries) {
    return `This account has ${pendingDeliveries} webhooks that are not delivered yet, the most it may have is ${maxPendingDeliveries} (MAX_PENDING_DELIVERIES). ${advice}`;
  }
  if (pendingHosts < maxPendingHosts) {
    return null;
  }
  const host = getHostPort(new URL(request.webhook_url));
  if ((await db.run(FIND_WEBHOOK_HOST, [accountId, host])).length > 0) {
    return null;
  }
  return `Webhooks of this account wait for ${pendingHosts} hosts, the most it may have is ${maxPendingHosts} (MAX_PENDING_HOSTS). ${advice}`;
}
