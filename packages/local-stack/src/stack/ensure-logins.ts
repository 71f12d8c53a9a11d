import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { readJson, writePrivateJson } from '../data-dir/private-json.js';
import { withClient } from '../database/with-client.js';
import {
  createGatewayCommand,
  type GatewayCommand,
  type GatewayCommandOptions,
} from './create-gateway-command.js';

/** Credentials of the operator. */
export interface OperatorUser {
  readonly email: string;
  readonly password: string;
}

/** Demo account, its key and its credentials. */
export interface DemoAccount extends OperatorUser {
  readonly accountId: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
}

type LoginOptions = GatewayCommandOptions & { readonly dataDir: string };

const BALANCE = '10.00';

/** Log-in that the data folder keeps in a file, as long as the database has it. */
interface Login<T> {
  readonly name: string;
  /** Statement that finds the row of a kept log-in. */
  readonly find: string;
  readonly getId: (kept: T) => string;
  readonly create: (call: GatewayCommand, user: OperatorUser) => Promise<T>;
}

async function ensureLogin<T>(options: LoginOptions, { name, find, getId, create }: Login<T>): Promise<T> {
  const { dataDir, databaseUrl, signal } = options;
  const file = path.join(dataDir, `${name}.json`);
  const kept = readJson<T>(file);
  const exists = (id: string) =>
    withClient(databaseUrl, async (client) => (await client.query(find, [id])).rowCount === 1);
  if (kept && (await exists(getId(kept)))) {
    return kept;
  }
  const call = createGatewayCommand(options);
  const createAs = (local: string) =>
    create(call, { email: `${local}@example.com`, password: randomBytes(12).toString('base64url') });
  const created = await createAs(name).catch((error: unknown) => {
    if (signal.aborted) {
      throw error;
    }
    // An interrupted run or another stack on this database has the address.
    return createAs(`${name}-${randomBytes(4).toString('hex')}`);
  });
  writePrivateJson(file, created);
  return created;
}

/** Returns the demo account of the data folder; a new one gets ten dollars and a key through the operator command line. */
export function ensureDemoAccount(options: LoginOptions): Promise<DemoAccount> {
  return ensureLogin<DemoAccount>(options, {
    name: 'demo',
    find: 'SELECT 1 FROM accounts WHERE id = $1',
    getId: ({ accountId }) => accountId,
    create: async (call, { email, password }) => {
      const args = ['account', 'create', '--email', email, '--balance', BALANCE, '--password-stdin'];
      const { id = '', webhook_secret: webhookSecret = '' } = await call(args, password);
      const { key = '' } = await call(['key', 'create', '--account', id, '--name', 'demo']);
      return { accountId: id, apiKey: key, email, password, webhookSecret };
    },
  });
}

/** Returns the operator of the data folder; a new one is created through the operator command line. */
export function ensureOperator(options: LoginOptions): Promise<OperatorUser> {
  return ensureLogin<OperatorUser>(options, {
    name: 'operator',
    find: 'SELECT 1 FROM auth_users WHERE email = $1',
    getId: ({ email }) => email,
    create: async (call, user) => {
      await call(['operator', 'create', '--email', user.email, '--password-stdin'], user.password);
      return user;
    },
  });
}
