import { randomUUID } from 'node:crypto';
import { query } from './database.js';
import { mustGateway } from './gateway.js';
import type { Product } from './product.js';

/** An account made by an operator, with one key. */
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
  const { id } = await makeAccount(product, email, balance);
  const [key, [secret]] = await Promise.all([
    newKey(product, id),
    query<{ secret: string }>(product, 'SELECT webhook_secret AS secret FROM accounts WHERE id = $1', [id]),
  ]);
  return { id, email, key: key.key, keyId: key.id, webhookSecret: secret?.secret ?? '' };
}

function makeAccount(product: Product, email: string, balance: string): Promise<{ id: string }> {
  if (product.run().dashboard === undefined) {
    const opening = balance === '0' ? [] : ['--balance', balance];
    return mustGateway(product, 'account', 'create', '--email', email, ...opening);
  }
  return asOperator(product, '/operator/accounts', { email, balance, reason: 'test', log_in: false });
}

/** One more key of an account; further arguments are those of `key create`. */
export function newKey(
  product: Product,
  accountId: string,
  ...args: string[]
): Promise<{ id: string; key: string; prefix: string }> {
  return args.length > 0 || product.run().dashboard === undefined
    ? mustGateway(product, 'key', 'create', '--account', accountId, '--name', 'acceptance', ...args)
    : asOperator(product, `/operator/accounts/${accountId}/keys`, { name: 'acceptance' });
}

/** Sessions of operators by gateway. */
const sessions = new Map<string, string>();

/** Sends a form of the operators' pages, which takes a hundredth of the processor time of a command. */
async function asOperator<T>(product: Product, page: string, form: object): Promise<T> {
  const { api, operator } = product.run();
  const post = (target: string, body: unknown, cookie = '') =>
    fetch(`${api.url}/dashboard/api${target}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: api.url, cookie },
      body: JSON.stringify(body),
    });
  const known = sessions.get(product.dataDir);
  const session = known ?? readCookie(await post('/sign-in', operator));
  sessions.set(product.dataDir, session);
  const answer = await post(page, form, session);
  const { data, error } = (await answer.json()) as { data: T; error?: object };
  if (!answer.ok) {
    throw new Error(`${page}: ${answer.status} ${JSON.stringify(error)}`);
  }
  return data;
}

function readCookie(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
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
