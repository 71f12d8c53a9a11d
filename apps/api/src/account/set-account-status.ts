import type { Database, Statement } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';

/** New status of an account. */
export interface StatusChange {
  readonly accountId: string;
  readonly status: 'active' | 'suspended';
  /** Why it is suspended; its owner sees it. */
  readonly reason?: string | null;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

const SET_ACCOUNT_STATUS: Statement = {
  name: 'set-account-status',
  text: `
WITH account AS (
  UPDATE accounts SET status = $2, suspension_reason = $5 WHERE id = $1 AND (status, suspension_reason) IS DISTINCT FROM ($2, $5)
    RETURNING id),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $3, CASE $2 WHEN 'active' THEN 'account.resume' ELSE 'account.suspend' END, id, $4::jsonb FROM account)
SELECT id FROM accounts WHERE id = $1`,
};

/** Suspends or resumes an account; a repeat is no error. Accepted tasks continue. Throws AppError `NOT_FOUND`. */
export async function setAccountStatus(
  { db }: { readonly db: Pick<Database, 'run'> },
  { accountId, status, reason = null, actor }: StatusChange,
): Promise<void> {
  const detail = { actor, ...(reason !== null && { reason }) };
  const values = [accountId, status, newId('aud'), JSON.stringify(detail), reason];
  const [account] = await db.run(SET_ACCOUNT_STATUS, values);
  if (!account) {
    throw notFound('account', accountId);
  }
}
