import type { AuthUser, Database, Statement } from '@image-gateway/shared/db';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import type { OperatorItem } from '@image-gateway/shared/user/schema';
import { checkEmail, takeEmail } from './check-email.js';
import { checkPassword, hashPassword } from './passwords.js';

/** Operator to create. */
export interface NewOperator {
  readonly email: string;
  readonly password: string;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

const CREATE_OPERATOR: Statement = {
  name: 'create-operator',
  text: `
WITH operator AS (
  INSERT INTO auth_users (id, name, email, email_verified, role)
  VALUES ($1, split_part($2, '@', 1), $2, false, 'operator') RETURNING id),
credential AS (
  INSERT INTO auth_accounts (id, account_id, provider_id, user_id, password)
  SELECT $3, id, 'credential', id, $4 FROM operator)
INSERT INTO audit_entries (id, action, subject, detail) SELECT $5, 'operator.create', id, $6::jsonb FROM operator`,
};

/**
 * Creates an operator, a user who owns no account. Throws AppError `VALIDATION_ERROR` for a bad e-mail address or password,
 * and EmailTakenError.
 */
export async function createOperator(
  { db }: { readonly db: Pick<Database, 'run'> },
  { email: given, password, actor }: NewOperator,
): Promise<{ readonly id: string; readonly email: string }> {
  const email = checkEmail(given);
  checkPassword(password);
  const id = newId('usr');
  const hash = await hashPassword(password);
  const values = [id, email, newId('usr'), hash, newId('aud'), JSON.stringify({ actor, email })];
  await takeEmail(email, () => db.run(CREATE_OPERATOR, values));
  return { id, email };
}

const LIST_OPERATORS: Statement = {
  name: 'list-operators',
  text: `
SELECT u.id, u.email, u.created_at AS "createdAt",
       (SELECT count(*) FROM auth_sessions s WHERE s.user_id = u.id AND s.expires_at > now())::int AS sessions
  FROM auth_users u WHERE u.role = 'operator' AND NOT u.banned ORDER BY u.created_at, u.id LIMIT $1::int`,
};

/** Lists operators, the first one first. */
export async function listOperators(db: Pick<Database, 'run'>, limit: number): Promise<OperatorItem[]> {
  type Row = Readonly<Pick<AuthUser, 'id' | 'email' | 'createdAt'>> & { readonly sessions: number };
  const rows = await db.run<Row>(LIST_OPERATORS, [limit]);
  return rows.map(({ createdAt, ...operator }) => ({ ...operator, created_at: createdAt.toISOString() }));
}

// All operators are locked, in one order: of two who remove each other at a time, one stays. Sessions go with their user.
const REMOVE_OPERATOR: Statement = {
  name: 'remove-operator',
  text: `
WITH operators AS MATERIALIZED (
  SELECT id FROM auth_users WHERE role = 'operator' AND NOT banned ORDER BY id FOR UPDATE),
gone AS (
  DELETE FROM auth_users u USING operators o
   WHERE u.id = o.id AND u.id = $1 AND (SELECT count(*) FROM operators) > 1 RETURNING u.id, u.email),
mailboxes AS (
  DELETE FROM endpoints e USING gone WHERE e.account_id IS NULL AND lower(e.url) = 'mailto:' || gone.email),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $2, 'operator.remove', id, jsonb_build_object('actor', $3::text, 'email', email) FROM gone)
SELECT EXISTS (SELECT FROM gone) AS "isGone" FROM operators WHERE id = $1`,
};

/**
 * Removes an operator: sessions end at once, and no mail about events goes there any more. The audit log keeps the address. Throws
 * AppError `NOT_FOUND`, and `BAD_REQUEST` for the last operator.
 */
export async function removeOperator(
  { db }: { readonly db: Pick<Database, 'run'> },
  { id, actor }: { readonly id: string; readonly actor: string },
): Promise<void> {
  const [row] = await db.run<{ readonly isGone: boolean }>(REMOVE_OPERATOR, [id, newId('aud'), actor]);
  if (!row) {
    throw notFound('operator', id);
  }
  if (!row.isGone) {
    throw new AppError('BAD_REQUEST', {
      publicMessage: 'This is the last operator. Create another one first.',
    });
  }
}
