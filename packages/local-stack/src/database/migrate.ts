import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Output, startProgress } from '../../../../scripts/process/progress.mjs';
import type { GatewayCommand } from '../stack/create-gateway-command.js';
import { StackError } from '../stack-error.js';
import { withClient } from './with-client.js';

/** Database to migrate, and where progress is written. */
export interface MigrateOptions {
  readonly root: string;
  readonly url: string;
  /** Operator command line, whose `migrate` applies what is missing. */
  readonly gateway: GatewayCommand;
  readonly out: Output;
  readonly signal: AbortSignal;
}

/** Time for a database that is starting. */
const CONNECT_TIMEOUT_MS = 15_000;

function formatAddress(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || 5432}${pathname}`;
}

async function isDone({ root, url, out, signal }: MigrateOptions): Promise<boolean> {
  const until = Date.now() + CONNECT_TIMEOUT_MS;
  let progress: { end(outcome?: string): void } | undefined;
  for (;;) {
    signal.throwIfAborted();
    try {
      const done = await isMigrated(url, path.join(root, 'prisma/migrations'));
      progress?.end('it responds');
      return done;
    } catch (error) {
      const { code = '', message } = error as Error & { code?: string };
      progress ??= startProgress(out, `Waiting for the database ${formatAddress(url)}`);
      // 28: wrong user or password, 42: missing privilege. Waiting changes neither.
      if (Date.now() > until || /^(28|42)/.test(code)) {
        progress.end('no');
        throw new StackError(
          `The database ${formatAddress(url)} cannot be used: ${message || code}.\nIs DATABASE_URL right, and is PostgreSQL running there?`,
        );
      }
    }
    await sleep(500);
  }
}

/** Applies the missing migrations. Throws StackError when the database is unreachable or refuses the user, or a migration fails. */
export async function migrate(options: MigrateOptions): Promise<void> {
  if (await isDone(options)) {
    return;
  }
  const start = (): ReturnType<typeof startProgress> => startProgress(options.out, 'Migrating the database');
  let progress = start();
  try {
    await options.gateway(['migrate'], undefined, (line) => {
      progress.end('it waits');
      options.out.write(`${line}\n`);
      progress = start();
    });
    progress.end();
  } catch (error) {
    progress.end('failed');
    throw error;
  }
}

/**
 * Returns whether every migration of the folder has been applied, which saves a start of the migration program. A restored dump has them
 * all and lacks the role's settings in the database.
 */
async function isMigrated(url: string, migrationsDir: string): Promise<boolean> {
  const wanted = fs
    .readdirSync(migrationsDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  try {
    const applied = await withClient(url, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL
         AND EXISTS (SELECT FROM pg_db_role_setting WHERE setrole = current_user::regrole
                     AND setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
      );
      return new Set(rows.map(({ name }) => name));
    });
    return wanted.every((name) => applied.has(name));
  } catch (error) {
    // No such database or no such table: nothing has been applied.
    if (['3D000', '42P01'].includes((error as { code?: string }).code ?? '')) {
      return false;
    }
    throw error;
  }
}
