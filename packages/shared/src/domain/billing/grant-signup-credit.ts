import { type Database, type Statement, selectOperatorEvents } from '../db/index.js';
import type { IdPrefix } from '../ids/index.js';
import { formatDollars } from '../money/index.js';

/** Credit of an account that signed up itself, and its limits of a UTC day. */
export interface SignupCredit {
  readonly accountId: string;
  /** E-mail address in the form of which each gets one credit. */
  readonly address: string;
  /** Network of the client, such as `192.0.2.0/24`. */
  readonly network: string;
  readonly amountMicros: bigint;
  /** Most that all accounts together get a day. */
  readonly dayLimitMicros: bigint;
}

/** Credits of one network a day. */
const NETWORK_LIMIT = 3;

// The reference is unique, so that an account gets it once, whatever happens.
const GRANT_SIGNUP_CREDIT: Statement = {
  name: 'grant-signup-credit',
  text: `
WITH taken AS MATERIALIZED (SELECT take_signup_credit($1, $2, $3, $4::int8, $5::int8, ${NETWORK_LIMIT}) AS result),
account AS (
  UPDATE accounts a SET balance_micros = a.balance_micros + $4::int8 FROM taken WHERE a.id = $1 AND taken.result = 'granted'
    RETURNING a.id),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $6, CASE result WHEN 'granted' THEN 'account.adjust' ELSE 'signup.credit_exhausted' END, $1, $7::jsonb
    FROM taken WHERE result IN ('granted', 'exhausted')),
noted AS (
  INSERT INTO cap_notices (api_key_id, cap, value, starts_on, percent)
  SELECT '', 'signup', '', (now() AT TIME ZONE 'UTC')::date, 100 FROM taken WHERE result = 'exhausted' ON CONFLICT DO NOTHING
    RETURNING percent),
told AS (
  ${selectOperatorEvents('signup.credit_exhausted', {
    from: 'noted n',
    data: { limit: '$5::int8' },
  })}),
booked AS (
INSERT INTO ledger_transfers (id, kind, debit_account, credit_account, amount_micros, account_id, external_ref, reason)
SELECT $8, 'adjust', 'revenue', 'cust:' || id, $4::int8, id, 'signup:' || id, 'credit of the sign-up' FROM account
RETURNING id)
SELECT b.id, t.events FROM (SELECT count(*) AS events FROM told) t LEFT JOIN booked b ON true`,
};

/**
 * Books the credit of a sign-up; false when a limit of the day is reached, or the address had one before. The audit log tells
 * the former, and operators' endpoints once a day.
 */
export async function grantSignupCredit(
  { db, newId }: { readonly db: Pick<Database, 'run'>; readonly newId: (prefix: IdPrefix) => string },
  { accountId, address, network, amountMicros, dayLimitMicros }: SignupCredit,
): Promise<boolean> {
  const detail = JSON.stringify({ actor: 'sign-up', amount: formatDollars(amountMicros) });
  const [row] = await db.run<{ readonly id: string | null }>(GRANT_SIGNUP_CREDIT, [
    accountId,
    address,
    network,
    amountMicros,
    dayLimitMicros,
    newId('aud'),
    detail,
    newId('led'),
  ]);
  return row !== undefined && row.id !== null;
}
