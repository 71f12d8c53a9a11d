import type { Account, Database, Statement } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';
import type { SecretsRow } from '../webhook/webhook-secrets.js';

/** Columns of an account that operators see in a list. */
export type AccountRow = Readonly<
  Pick<
    Account,
    | 'id'
    | 'email'
    | 'status'
    | 'suspensionReason'
    | 'balanceMicros'
    | 'heldMicros'
    | 'openCount'
    | 'taskCount'
    | 'usageCount'
    | 'createdAt'
  >
>;

/** Presents an account to an operator: money as dollar strings, no secret. */
export function presentAccount(account: AccountRow) {
  return {
    id: account.id,
    email: account.email,
    status: account.status,
    ...(account.suspensionReason !== null && { suspension_reason: account.suspensionReason }),
    balance: formatDollars(account.balanceMicros),
    held: formatDollars(account.heldMicros),
    available: formatDollars(account.balanceMicros - account.heldMicros),
    open_tasks: account.openCount,
    tasks: Number(account.taskCount),
    usage_records: Number(account.usageCount),
    created_at: account.createdAt.toISOString(),
  };
}

/** Columns of `accounts` for `presentAccount`. */
export const ACCOUNT_COLUMNS = `id, email, status, suspension_reason AS "suspensionReason", balance_micros AS "balanceMicros",
       held_micros AS "heldMicros", open_count AS "openCount", task_count AS "taskCount", usage_count AS "usageCount",
       created_at AS "createdAt"`;

const FIND_ACCOUNT: Statement = {
  name: 'find-account',
  text: `
SELECT ${ACCOUNT_COLUMNS},
       webhook_secret AS "webhookSecret", webhook_secret_previous AS "webhookSecretPrevious",
       webhook_secret_overlap_until AS "webhookSecretOverlapUntil",
       ARRAY(SELECT u.email FROM account_users o JOIN auth_users u ON u.id = o.user_id
              WHERE o.account_id = a.id ORDER BY u.created_at, u.id) AS users
  FROM accounts a WHERE id = $1`,
};

/** Finds an account with its secrets and the addresses of its users. Throws AppError `NOT_FOUND`. */
export async function findAccount(db: Pick<Database, 'run'>, id: string) {
  type Row = AccountRow & SecretsRow & { readonly users: readonly string[] };
  const [account] = await db.run<Row>(FIND_ACCOUNT, [id]);
  if (!account) {
    throw notFound('account', id);
  }
  return account;
}

/** Returns an account as operators see it in a list. Throws AppError `NOT_FOUND`. */
export async function showAccount(db: Pick<Database, 'run'>, id: string) {
  return presentAccount(await findAccount(db, id));
}
