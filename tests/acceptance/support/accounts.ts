import { randomUUID } from 'node:crypto';
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

/** Balance and held money of an account as the operator sees them, in dollar strings. */
export async function moneyOf(
  product: Product,
  accountId: string,
): Promise<{ balance: string; held: string }> {
  const { balance, held } = await mustGateway<{ balance: string; held: string }>(
    product,
    'account',
    'show',
    accountId,
  );
  return { balance, held };
}
