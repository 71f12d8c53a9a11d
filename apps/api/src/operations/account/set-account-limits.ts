import type { Rate } from '@image-gateway/shared/config';
import {
  ACCOUNT_LIMIT_NAMES,
  ACCOUNT_LIMITS,
  type AccountLimitName,
  type AccountLimitsBody,
  type AccountLimitsView,
  parseAccountLimit,
} from '@image-gateway/shared/contract';
import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';

type LimitsRow = Readonly<Record<string, number | null>>;

const COLUMNS: readonly string[] = ACCOUNT_LIMIT_NAMES.flatMap((name) => ACCOUNT_LIMITS[name].columns);

const FIND_ACCOUNT_LIMITS: Statement = {
  name: 'find-account-limits',
  text: `SELECT ${COLUMNS.join(', ')} FROM accounts WHERE id = $1`,
};
const SET_ACCOUNT_LIMITS: Statement = {
  name: 'set-account-limits',
  text: `
WITH old AS (SELECT id, ${COLUMNS.join(', ')} FROM accounts WHERE id = $1 FOR NO KEY UPDATE),
changed AS (
  UPDATE accounts a
     SET ${COLUMNS.map((name) => `${name} = CASE WHEN c ? '${name}' THEN (c ->> '${name}')::int ELSE a.${name} END`).join(',\n         ')}
    FROM old, (SELECT $2::jsonb AS c) given WHERE a.id = old.id
  RETURNING a.id, to_jsonb(old) - 'id' AS before, ${COLUMNS.map((name) => `a.${name}`).join(', ')}),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $3, 'account.limits', id, $4::jsonb || jsonb_build_object('before', before) FROM changed)
SELECT ${COLUMNS.join(', ')} FROM changed`,
};

/** Returns the limits of an account. Throws AppError `NOT_FOUND`. */
export async function findAccountLimits(
  { db }: { readonly db: Pick<Database, 'run'> },
  accountId: string,
): Promise<AccountLimitsView> {
  const [row] = await db.run<LimitsRow>(FIND_ACCOUNT_LIMITS, [accountId]);
  if (!row) {
    throw notFound('account', accountId);
  }
  return presentLimits(row);
}

/**
 * Changes limits of an account, which then apply within 5 s, and returns all of them. The audit log keeps the former ones.
 * Throws AppError `NOT_FOUND` and `VALIDATION_ERROR`.
 */
export async function setAccountLimits(
  { db }: { readonly db: Pick<Database, 'run'> },
  {
    accountId,
    limits,
    actor,
  }: { readonly accountId: string; readonly limits: AccountLimitsBody; readonly actor: string },
): Promise<AccountLimitsView> {
  const columns = toColumns(limits);
  const detail = JSON.stringify({ actor, ...columns });
  const values = [accountId, JSON.stringify(columns), newId('aud'), detail];
  const [row] = await db.run<LimitsRow>(SET_ACCOUNT_LIMITS, values);
  if (!row) {
    throw notFound('account', accountId);
  }
  return presentLimits(row);
}

/** Returns the rate in two columns; null when the account has no limit of its own. */
export function toRate(limit: number | null, windowSeconds: number | null): Rate | null {
  return limit === null || windowSeconds === null ? null : { limit, windowSeconds };
}

function toColumns(limits: AccountLimitsBody): LimitsRow {
  const entries = ACCOUNT_LIMIT_NAMES.flatMap((name) => {
    const given = limits[name];
    return given === undefined ? [] : zip(ACCOUNT_LIMITS[name].columns, parse(name, given));
  });
  return Object.fromEntries(entries);
}

function parse(name: AccountLimitName, given: number | string | null): readonly (number | null)[] {
  try {
    return parseAccountLimit(name, given);
  } catch (error) {
    throw new AppError('VALIDATION_ERROR', { publicMessage: String((error as Error).message) });
  }
}

function zip(names: readonly string[], values: readonly (number | null)[]): [string, number | null][] {
  return names.map((name, place) => [name, values[place] ?? null]);
}

function presentLimits(row: LimitsRow): AccountLimitsView {
  const present = (name: AccountLimitName): number | string | null => {
    const [count, seconds] = ACCOUNT_LIMITS[name].columns.map((column) => row[column] ?? null);
    return count === null || count === undefined || seconds === null ? null : joinRate(count, seconds);
  };
  return Object.fromEntries(
    ACCOUNT_LIMIT_NAMES.map((name) => [name, present(name)]),
  ) as unknown as AccountLimitsView;
}

function joinRate(count: number, seconds: number | undefined): number | string {
  return seconds === undefined ? count : `${count}/${seconds}`;
}
