import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { AppCommand } from '../apps/app-commands.js';
import { withClient } from '../database/with-client.js';
import { readJson, writePrivateJson } from '../files/private-json.js';
import { run } from '../process/run.js';
import { StackError } from '../stack-error.js';

export interface DemoAccount {
  accountId: string;
  apiKey: string;
  email: string;
  password: string;
  webhookSecret: string;
}

export interface DemoOptions {
  dataDir: string;
  databaseUrl: string;
  cli: AppCommand;
  cwd: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

const balance = '10.00';
const timeoutMs = 120_000;

type Gateway = (...args: string[]) => Promise<Record<string, string>>;

function parsed(text: string): Record<string, string> | null {
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    return null;
  }
}

function gateway({ cli, cwd, env, signal, databaseUrl }: DemoOptions): Gateway {
  return async (...args) => {
    const result = await run(cli.file, [...cli.args, ...args, '--json'], {
      cwd,
      env: { ...env, DATABASE_URL: databaseUrl },
      timeoutMs,
      signal,
    });
    signal.throwIfAborted();
    const value = result.code === 0 ? parsed(result.stdout) : null;
    if (value !== null) return value;
    throw new StackError(`The demo account could not be made: ${result.stdout}${result.stderr}`);
  };
}

async function create(call: Gateway, email: string): Promise<DemoAccount> {
  const password = randomBytes(12).toString('base64url');
  const account = await call(
    'account',
    'create',
    '--email',
    email,
    '--password',
    password,
    '--balance',
    balance,
  );
  const { id = '', webhook_secret: webhookSecret = '' } = account;
  const { key = '' } = await call('key', 'create', '--account', id, '--name', 'demo');
  return { accountId: id, apiKey: key, email, password, webhookSecret };
}

async function exists(databaseUrl: string, accountId: string): Promise<boolean> {
  return withClient(databaseUrl, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM accounts WHERE id = $1', [accountId]);
    return rowCount === 1;
  });
}

/** The demo account of this data folder, with ten dollars and a key when it is new: made through the operator's command line, then kept. */
export async function keepDemoAccount(options: DemoOptions): Promise<DemoAccount> {
  const file = path.join(options.dataDir, 'demo.json');
  const kept = readJson<DemoAccount>(file);
  if (kept && (await exists(options.databaseUrl, kept.accountId))) return kept;
  const call = gateway(options);
  let demo: DemoAccount;
  try {
    demo = await create(call, 'demo@example.com');
  } catch (error) {
    if (options.signal.aborted) throw error;
    // Taken: by a run that was cut short here, or by somebody else's demo on a shared database.
    demo = await create(call, `demo-${randomBytes(4).toString('hex')}@example.com`);
  }
  writePrivateJson(file, demo);
  return demo;
}
