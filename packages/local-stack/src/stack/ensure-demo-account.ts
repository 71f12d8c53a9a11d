import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { readJson, writePrivateJson } from '../data-dir/private-json.js';
import { withClient } from '../database/with-client.js';
import {
  createGatewayCommand,
  type GatewayCommand,
  type GatewayCommandOptions,
} from './create-gateway-command.js';

/** Demo account, its key and its credentials. */
export interface DemoAccount {
  readonly accountId: string;
  readonly apiKey: string;
  readonly email: string;
  readonly password: string;
  readonly webhookSecret: string;
}

const BALANCE = '10.00';

async function create(call: GatewayCommand, email: string): Promise<DemoAccount> {
  const password = randomBytes(12).toString('base64url');
  const args = ['account', 'create', '--email', email, '--balance', BALANCE, '--password-stdin'];
  const account = await call(args, password);
  const { id = '', webhook_secret: webhookSecret = '' } = account;
  const { key = '' } = await call(['key', 'create', '--account', id, '--name', 'demo']);
  return { accountId: id, apiKey: key, email, password, webhookSecret };
}

async function exists(databaseUrl: string, accountId: string): Promise<boolean> {
  return withClient(databaseUrl, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM accounts WHERE id = $1', [accountId]);
    return rowCount === 1;
  });
}

/** Returns the demo account of the data folder; a new one gets ten dollars and a key through the operator command line. */
export async function ensureDemoAccount(
  options: GatewayCommandOptions & { dataDir: string },
): Promise<DemoAccount> {
  const file = path.join(options.dataDir, 'demo.json');
  const kept = readJson<DemoAccount>(file);
  if (kept && (await exists(options.databaseUrl, kept.accountId))) {
    return kept;
  }
  const call = createGatewayCommand(options);
  let demo: DemoAccount;
  try {
    demo = await create(call, 'demo@example.com');
  } catch (error) {
    if (options.signal.aborted) {
      throw error;
    }
    // An interrupted run or another stack on this database has the address.
    demo = await create(call, `demo-${randomBytes(4).toString('hex')}@example.com`);
  }
  writePrivateJson(file, demo);
  return demo;
}
