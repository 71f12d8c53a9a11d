import { resolve } from 'node:path';
import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { createDatabase, type Database } from '@image-gateway/shared/db';
import { COMMANDS } from './commands.js';
import { gatewayEnv } from './gateway-env.js';
import { runCli } from './run-cli.js';

const projectDir = resolve(import.meta.dirname, '../../../..');
const env = gatewayEnv(process.env, projectDir);
let opened: Database | undefined;

const db = (): Database => {
  const { DATABASE_URL: url } = loadSettings({ DATABASE_URL: sharedSettings.DATABASE_URL }, env);
  opened ??= createDatabase({
    url,
    applicationName: 'image-gateway command line',
    max: 2,
    statementTimeoutMs: 60_000,
  });
  return opened;
};

process.exitCode = await runCli(
  {
    commands: COMMANDS,
    context: { env, projectDir, db },
    output: {
      stdout: (text) => process.stdout.write(text),
      stderr: (text) => process.stderr.write(text),
    },
  },
  process.argv.slice(2),
);
await opened?.close();
