import type { Rate } from '@image-gateway/shared/config';
import type { Database, Statement } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';

/** Limits of an account; null: the settings apply. */
export interface AccountLimits {
  readonly accountId: string;
  readonly maxOpenTasks: number | null;
  /** Requests of all keys and of the playground together. */
  readonly requests: Rate | null;
  /** Tasks that fail because of their requests. */
  readonly failedTasks: Rate | null;
  /** Days after which its finished tasks are erased; undefined: as before. */
  readonly retentionDays?: number | null;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

const SET_ACCOUNT_LIMITS: Statement = {
  name: 'set-account-limits',
  text: `
WITH account AS (
  UPDATE accounts SET max_open_tasks = $2::int, key_requests_per_minute = $3::int, requests_seconds = COALESCE($4::int, 60),
                      max_failed_tasks = $5::int, failed_tasks_seconds = $6::int,
                      retention_days = CASE WHEN $9 THEN $10::int ELSE retention_days END WHERE id = $1 RETURNING id),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail) SELECT $7, 'account.limits', id, $8::jsonb FROM account)
SELECT id FROM account`,
};

/** Sets the limits of an account, which replace the settings and apply within 5 s. Throws AppError `NOT_FOUND`. */
export async function setAccountLimits(
  { db }: { readonly db: Pick<Database, 'run'> },
  { accountId, maxOpenTasks, requests, failedTasks, retentionDays, actor }: AccountLimits,
): Promise<void> {
  const detail = JSON.stringify({ actor, maxOpenTasks, requests, failedTasks, retentionDays });
  const columns = [requests, failedTasks].flatMap((rate) => [
    rate?.limit ?? null,
    rate?.windowSeconds ?? null,
  ]);
  const retention = [retentionDays !== undefined, retentionDays ?? null];
  const values = [accountId, maxOpenTasks, ...columns, newId('aud'), detail, ...retention];
  const [account] = await db.run(SET_ACCOUNT_LIMITS, values);
  if (!account) {
    throw notFound('account', accountId);
  }
}
