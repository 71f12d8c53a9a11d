import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Output, startProgress } from '../../../../scripts/process/progress.mjs';
import { run } from '../process/run.js';
import { StackError } from '../stack-error.js';
import { isMigrated } from './is-migrated.js';

/** Database to migrate, and where progress is written. */
export interface MigrateOptions {
  readonly root: string;
  readonly url: string;
  readonly env: NodeJS.ProcessEnv;
  readonly out: Output;
  readonly signal: AbortSignal;
}

/** Timeouts for a database that is starting, and for all migrations. */
const CONNECT_TIMEOUT_MS = 15_000;
const MIGRATE_TIMEOUT_MS = 900_000;

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
  const { root, url, env, out, signal } = options;
  const progress = startProgress(out, 'Migrating the database');
  const result = await run(path.join(root, 'node_modules/.bin/prisma'), ['migrate', 'deploy'], {
    cwd: root,
    env: { ...env, DATABASE_URL: url, PRISMA_HIDE_UPDATE_MESSAGE: '1', NO_COLOR: '1' },
    // The signal does not end it: an interrupted migration has to be resolved by hand.
    timeoutMs: MIGRATE_TIMEOUT_MS,
  });
  signal.throwIfAborted();
  if (result.code === 0) {
    return progress.end();
  }
  progress.end('failed');
  const output = `${result.stdout}\n${result.stderr}`.trim();
  throw new StackError(
    `The migrations of ${formatAddress(url)} could not be applied:\n${output || 'they took too long'}`,
  );
}
