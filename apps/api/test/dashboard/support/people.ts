import { randomUUID } from 'node:crypto';
import { createAccount } from '../../../src/operations/account/create-account.js';
import { createOperator } from '../../../src/operations/user/create-operator.js';
import type { TestApi } from '../../support/start-api.js';
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

/** Makes an account with its log-in as the command line does, and logs in; ten dollars unless said otherwise. */
export async function newOwner(api: TestApi, openingMicros = 10_000_000n): Promise<Owner> {
  const email = `owner-${randomUUID()}@example.com`;
  const { id } = await createAccount({ db: api.test.db }, { email, password, openingMicros, actor: 'test' });
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
