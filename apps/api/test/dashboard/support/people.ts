import { randomUUID } from 'node:crypto';
import type { TestAccount } from '@image-gateway/testing';
import { createAccount } from '../../../src/account/create-account.js';
import { createOperator } from '../../../src/user/operators.js';
import { hashPassword } from '../../../src/user/passwords.js';
import { startApi, type TestApi } from '../../support/start-api.js';
import { type Browser, openBrowser } from './browser.js';

/** User with a log-in, logged in. */
export interface Person extends Browser {
  readonly email: string;
  readonly password: string;
}

/** User that owns an account. */
export interface Owner extends Person {
  readonly accountId: string;
}

const password = 'correct horse 9 battery';
let passwordHash: Promise<string> | undefined;

/** API with the dashboard, an operator and an owner of ten dollars. */
export async function startWithPeople(env: Record<string, string> = {}): Promise<{
  readonly api: TestApi;
  readonly operator: Person;
  readonly owner: Owner;
}> {
  const api = await startApi({ AUTH_SECRET: 'x'.repeat(32), ...env });
  const [operator, owner] = await Promise.all([newOperator(api), newOwner(api)]);
  return { api, operator, owner };
}

/** Checks what must hold of the books, and stops the API. */
export async function stopChecked(api: TestApi): Promise<void> {
  await api.test.checkInvariants('live');
  await api.stop();
}

/** Returns the account of an owner, as those take it that make rows of it. */
export function toAccount({ accountId }: Pick<Owner, 'accountId'>, apiKeyId = 'key_t'): TestAccount {
  return { id: accountId, apiKeyId, apiKey: '', webhookSecret: '' };
}

/** Makes an account with its log-in as a mailed link does, and logs in; ten dollars unless said otherwise. A hash takes long: owners share one. */
export async function newOwner(api: TestApi, openingMicros = 10_000_000n): Promise<Owner> {
  const email = `owner-${randomUUID()}@example.com`;
  passwordHash ??= hashPassword(password);
  const account = { email, passwordHash: await passwordHash, openingMicros, actor: 'test' };
  const { id } = await createAccount({ db: api.test.db }, account);
  return { ...(await logIn(api, email)), accountId: id };
}

/** Makes an operator as the command line does, and logs in. */
export async function newOperator(api: TestApi): Promise<Person> {
  const email = `operator-${randomUUID()}@example.com`;
  await createOperator({ db: api.test.db }, { email, password, actor: 'test' });
  return logIn(api, email);
}

async function logIn(api: TestApi, email: string): Promise<Person> {
  const browser = openBrowser(api);
  const { status, text } = await browser.post('/sign-in', { email, password });
  if (status !== 200) {
    throw new Error(`could not log in: ${status} ${text}`);
  }
  return { ...browser, email, password };
}
