import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { applyMigrations } from '@image-gateway/shared/db';
import { findRelease, freePort } from '@image-gateway/testing';
import type { Release } from '../prepare-release.js';
import { COMMANDS, runProgram } from '../run-release.js';
import { startSite } from '../start-site.js';

const OLDER = '0.2.0';
const REFUSAL =
  /This database is of a release before 0\.3\.0.*Start 0\.3\.0 on it once, .*docs\/releases\.md names its commit\. Nothing was applied\./;

/** Lets `migrate` and `npm start` of this release meet a database of 0.2.0; returns what they did wrong. */
export async function refuseOlder({ root }: Release, signal: AbortSignal): Promise<string[]> {
  const older = findRelease(OLDER);
  if ('missing' in older) {
    return [older.missing];
  }
  const faults: string[] = [];
  const folder = mkdtempSync(path.join(os.tmpdir(), 'image-gateway-older-'));
  // PostgreSQL's own user has to reach it when root runs this.
  chmodSync(folder, 0o755);
  const site = await startSite(signal);
  try {
    const { DATABASE_URL: url = '' } = site.settings;
    const former = path.join(folder, 'former');
    mkdirSync(former);
    older.extract(former, 'prisma/migrations');
    const silent = () => undefined;
    await applyMigrations({
      url,
      folder: path.join(former, 'prisma/migrations'),
      report: silent,
      tell: silent,
    });
    await site.pool.query(
      "INSERT INTO accounts (id, email, webhook_secret) VALUES ('acc', 'a@example.com', 'x')",
    );
    const read = async () =>
      JSON.stringify(
        (
          await site.pool.query(
            'SELECT (SELECT jsonb_agg(m ORDER BY migration_name) FROM _prisma_migrations m), a.* FROM accounts a',
          )
        ).rows,
      );
    const before = await read();
    const ports = { PORT: String(await freePort()), METRICS_PORT: String(await freePort()) };
    const env = {
      HOME: process.env.HOME ?? '',
      ...site.settings,
      ...ports,
      DATA_DIR: path.join(folder, 'data'),
    };
    for (const command of [
      [COMMANDS, 'migrate'],
      ['scripts/start.mjs', '--no-dashboard'],
    ]) {
      const { code, said } = await runProgram(root, command, env);
      if (code !== 1 || !REFUSAL.test(said)) {
        faults.push(`${command.join(' ')} on a database of ${OLDER} ended with ${code} and said ${said}`);
      }
      if ((await read()) !== before) {
        faults.push(`${command.join(' ')} changed a database of ${OLDER}`);
      }
    }
    return faults;
  } finally {
    await site.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
