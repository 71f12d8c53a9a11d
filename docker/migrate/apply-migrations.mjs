// Applies the migrations that are missing, like `prisma migrate deploy`, beside processes that go on working. PostgreSQL may end a
// migration because it and a request each wait for what the other has locked. Each migration is one transaction, so nothing of it
// stays: it is marked as rolled back and applied again. Needs DATABASE_URL of the owner.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ATTEMPTS = 10;
const PAUSE_MS = 500;
const prisma = fileURLToPath(new URL('node_modules/prisma/build/index.js', import.meta.url));

/** Runs Prisma, passes on what it says, and returns it with its exit code. */
function run(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [prisma, 'migrate', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  return { status: status ?? 1, said: stdout + stderr };
}

/** Returns the name of the migration that was ended in a deadlock; undefined after any other error. */
function findDeadlocked(said) {
  return /Transaction write conflict|deadlock detected|40P01/.test(said)
    ? (/migration_name="([^"]+)"/.exec(said) ?? /Migration name: (\S+)/.exec(said))?.[1]
    : undefined;
}

async function main() {
  for (let attempt = 1; ; attempt += 1) {
    const { status, said } = run('deploy');
    const name = status === 0 ? undefined : findDeadlocked(said);
    if (name === undefined || attempt === ATTEMPTS) {
      return status;
    }
    process.stderr.write(`The migration ${name} and requests waited for each other. It is applied again.\n`);
    run('resolve', '--rolled-back', name);
    await sleep(PAUSE_MS * Math.random() * attempt);
  }
}

process.exitCode = await main();
