import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { readJson, writePrivateJson } from '../data-dir/private-json.js';
import { withClient } from '../database/with-client.js';
import { createGatewayCommand, type GatewayCommandOptions } from './create-gateway-command.js';

/** Credentials of the operator. */
export interface OperatorUser {
  readonly email: string;
  readonly password: string;
}

async function exists(databaseUrl: string, email: string): Promise<boolean> {
  return withClient(databaseUrl, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM auth_users WHERE email = $1', [email]);
    return rowCount === 1;
  });
}

/** Returns the operator of the data folder; a new one is created through the operator command line. */
export async function ensureOperator(
  options: GatewayCommandOptions & { dataDir: string },
): Promise<OperatorUser> {
  const file = path.join(options.dataDir, 'operator.json');
  const kept = readJson<OperatorUser>(file);
  if (kept && (await exists(options.databaseUrl, kept.email))) {
    return kept;
  }
  const call = createGatewayCommand(options);
  const password = randomBytes(12).toString('base64url');
  const create = async (email: string): Promise<OperatorUser> => {
    await call(['operator', 'create', '--email', email, '--password-stdin'], password);
    return { email, password };
  };
  let operator: OperatorUser;
  try {
    operator = await create('operator@example.com');
  } catch (error) {
    if (options.signal.aborted) {
      throw error;
    }
    // An interrupted run or another stack on this database has the address.
    operator = await create(`operator-${randomBytes(4).toString('hex')}@example.com`);
  }
  writePrivateJson(file, operator);
  return operator;
}
