import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';

/** What an account may do; null: what everybody may. */
export interface AccountLimits {
  readonly accountId: string;
  readonly maxOpenTasks: number | null;
  readonly keyRequestsPerMinute: number | null;
  /** Who did it, for the audit. */
  readonly actor: string;
}

const SET_ACCOUNT_LIMITS: Statement = {
  name: 'set-account-limits',
  text: `
WITH account AS (
  UPDATE accounts SET max_open_tasks = $2::int, key_requests_per_minute = $3::int WHERE id = $1 RETURNING id),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail) SELECT $4, 'account.limits', id, $5::jsonb FROM account)
SELECT id FROM account`,
};

/** Sets the limits of an account in place of the settings that hold for everybody; they hold within 5 s. Throws AppError `NOT_FOUND`. */
export async function setAccountLimits(
  { db }: { readonly db: Pick<Database, 'run'> },
  { accountId, maxOpenTasks, keyRequestsPerMinute, actor }: AccountLimits,
): Promise<void> {
  const detail = JSON.stringify({ actor, maxOpenTasks, keyRequestsPerMinute });
  const values = [accountId, maxOpenTasks, keyRequestsPerMinute, newId('aud'), detail];
  const [account] = await db.run(SET_ACCOUNT_LIMITS, values);
  if (!account) throw new AppError('NOT_FOUND', { publicMessage: `There is no account ${accountId}.` });
}
