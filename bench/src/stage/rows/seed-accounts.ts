import { createHash, randomBytes } from 'node:crypto';
import { newApiKey, newId } from '@image-gateway/shared/ids';
import type pg from 'pg';

/** An account that pays for the load. */
export interface SeededAccount {
  readonly id: string;
  readonly apiKeyId: string;
  readonly apiKey: string;
}

const BALANCE_MICROS = 1_000_000_000_000n;
/** Days before today on which a capped key has spent something, so that its sums have rows to add. */
const DAYS = 60;

/** Makes accounts with one key and a million dollars each, booked as a top-up. */
export async function seedAccounts(pool: pg.Pool, count: number): Promise<SeededAccount[]> {
  const accounts = Array.from({ length: count }, () => {
    const { key, prefix } = newApiKey();
    return { id: newId('acc'), apiKeyId: newId('key'), apiKey: key, prefix };
  });
  const column = <T>(of: (account: (typeof accounts)[number]) => T): T[] => accounts.map(of);
  await pool.query(
    `INSERT INTO accounts (id, email, webhook_secret, balance_micros)
     SELECT id, id || '@example.com', $2, $3::int8 FROM unnest($1::text[]) AS id`,
    [column(({ id }) => id), `whsec_${randomBytes(32).toString('base64')}`, BALANCE_MICROS],
  );
  await pool.query(
    `INSERT INTO api_keys (id, account_id, prefix, hash, name)
     SELECT *, 'bench' FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[])`,
    [
      column(({ apiKeyId }) => apiKeyId),
      column(({ id }) => id),
      column(({ prefix }) => prefix),
      column(({ apiKey }) => createHash('sha256').update(apiKey).digest()),
    ],
  );
  await pool.query(
    `INSERT INTO ledger_transfers (id, kind, debit_account, credit_account, amount_micros, account_id)
     SELECT led, 'topup', 'cash', 'cust:' || id, $3::int8, id FROM unnest($1::text[], $2::text[]) AS a(led, id)`,
    [column(() => newId('led')), column(({ id }) => id), BALANCE_MICROS],
  );
  return accounts;
}

/** Gives the keys of accounts all three caps, which the load does not reach, and spends on many days. */
export async function capKeys(pool: pg.Pool, accounts: readonly SeededAccount[]): Promise<void> {
  const keys = accounts.map(({ apiKeyId }) => apiKeyId);
  await pool.query(
    `UPDATE api_keys SET cap_day_micros = $2, cap_month_micros = $2, cap_total_micros = $2 WHERE id = ANY($1)`,
    [keys, BALANCE_MICROS],
  );
  await pool.query(
    `INSERT INTO key_spend (account_id, api_key_id, day, spent_micros)
     SELECT k.account_id, k.id, (now() AT TIME ZONE 'UTC')::date - i, 10000
       FROM api_keys k, generate_series(1, $2::int) AS i WHERE k.id = ANY($1)`,
    [keys, DAYS],
  );
}
