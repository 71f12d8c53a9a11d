import { randomUUID } from 'node:crypto';
import { query } from './database.js';
import { mustGateway } from './gateway.js';
import type { Product } from './product.js';

/** An account made by the operator's command line, with one key. */
export interface Account {
  id: string;
  email: string;
  key: string;
  keyId: string;
  webhookSecret: string;
}

/** Makes an account with a balance in dollars (`10.00` unless told) and one key. */
export async function newAccount(product: Product, balance = '10.00'): Promise<Account> {
  const email = `owner-${randomUUID()}@example.com`;
  const create = ['account', 'create', '--email', email];
  const account = await mustGateway<{ id: string; webhook_secret: string }>(
    product,
    ...create,
    ...(balance === '0' ? [] : ['--balance', balance]),
  );
  const key = await newKey(product, account.id);
  return { id: account.id, email, key: key.key, keyId: key.id, webhookSecret: account.webhook_secret };
}

/** One more key of an account; further arguments are those of `key create`. */
export function newKey(
  product: Product,
  accountId: string,
  ...args: string[]
): Promise<{ id: string; key: string; prefix: string }> {
  return mustGateway(product, 'key', 'create', '--account', accountId, '--name', 'acceptance', ...args);
}

/** Balance and held money of an account in dollar strings, read from the database, since that is faster than a command. */
export async function readMoney(
  product: Product,
  accountId: string,
): Promise<{ balance: string; held: string }> {
  const sql = 'SELECT balance_micros AS balance, held_micros AS held FROM accounts WHERE id = $1';
  const [row] = await query<{ balance: string; held: string }>(product, sql, [accountId]);
  if (row === undefined) {
    throw new Error(`there is no account ${accountId}`);
  }
  return { balance: dollars(row.balance), held: dollars(row.held) };
}

// From four to six decimals, as the API writes money.
function dollars(micros: string): string {
  return micros === '0' ? '$0.00' : `$${(Number(micros) / 1e6).toFixed(6).replace(/0{1,2}$/, '')}`;
}
