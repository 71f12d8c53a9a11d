import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, freePort } from '@image-gateway/testing';
import pg from 'pg';
import { type Door, expectThat, judgeWork, openWork } from './open-work.js';
import { describeCatalog, startOutside } from './start-outside.js';
import type { Builds } from './upgrade-by-migrate.js';

/** How the processes of the former release end. */
export type Ending = 'Ctrl-C' | 'kill -9 of everything';

const START_MS = 300_000;
const ON_ITS_WAY_MS = 1_000;
const WAITED = /Release 0\.3\.0 was here less than 90 s ago: generation-worker/;

/** A running `npm start`. */
interface Started {
  readonly child: ChildProcess;
  readonly said: () => string;
}

function start(root: string, env: Record<string, string>): Started {
  let said = '';
  const child = spawn(process.execPath, ['scripts/start.mjs', '--no-dashboard'], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  return { child, said: () => said };
}

/** Returns the processes that descend from one, and itself. */
function listFamily(pid: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const parents = new Map(rows.map((row) => row.trim().split(/\s+/).map(Number) as [number, number]));
  const family = [pid];
  for (const one of family) {
    family.push(...[...parents].filter(([, parent]) => parent === one).map(([child]) => child));
  }
  return family;
}

async function end({ child }: Started, how: Ending): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const closed = once(child, 'exit');
  if (how === 'Ctrl-C') {
    process.kill(-pid, 'SIGINT');
  } else {
    for (const one of listFamily(pid)) {
      try {
        process.kill(one, 'SIGKILL');
      } catch (error) {
        expectThat((error as NodeJS.ErrnoException).code === 'ESRCH', String(error));
      }
    }
  }
  await closed;
  // A webhook that was on its way when its sender was killed gets its 503 before the receiver takes any: it is sent again.
  await sleep(ON_ITS_WAY_MS);
}

/** Upgrades a data folder of `npm start` by nothing but the next `npm start`; returns what was lost or done twice. */
export async function upgradeByStart({ former, present }: Builds, how: Ending): Promise<string[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'image-gateway-stop-'));
  // PostgreSQL's own user has to reach it when root runs this.
  chmodSync(folder, 0o755);
  const outside = await startOutside();
  const dataDir = path.join(folder, 'data');
  const catalog = path.join(folder, 'catalog.yaml');
  writeFileSync(catalog, describeCatalog(outside));
  const port = await freePort();
  const env = {
    DATA_DIR: dataDir,
    PORT: String(port),
    METRICS_PORT: String(await freePort()),
    CATALOG_FILE: catalog,
    ...outside.settings,
    LEASE_MS: '6000',
    HEARTBEAT_MS: '1500',
    SWEEP_MS: '500',
  };
  const read = (): { postgres: { url: string }; demo: { apiKey: string } } =>
    JSON.parse(readFileSync(path.join(dataDir, 'run.json'), 'utf8')) as ReturnType<typeof read>;
  const open = async (started: Started): Promise<{ door: Door; pool: pg.Pool }> => {
    const url = `http://127.0.0.1:${port}`;
    await eventually(
      async () => {
        if (started.child.exitCode !== null) {
          return;
        }
        expectThat(existsSync(path.join(dataDir, 'run.json')), 'run.json is there');
        const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
        expectThat(status === 200, `/readyz gives 200, and not ${status}`);
      },
      { timeoutMs: START_MS, everyMs: 200 },
    );
    expectThat(started.child.exitCode === null, `npm start goes on:\n${started.said().slice(-3_000)}`);
    const { postgres, demo } = read();
    const pool = new pg.Pool({ connectionString: postgres.url, max: 2, options: '-c timezone=UTC' });
    pool.on('error', () => undefined);
    return { door: { url, apiKey: demo.apiKey }, pool };
  };
  let running: Started | null = null;
  try {
    running = start(former.root, env);
    const before = await open(running);
    const work = await openWork(before.door, outside, before.pool);
    await before.pool.end();
    await end(running, how);
    outside.open();
    running = start(present.root, env);
    const after = await open(running);
    const faults = await judgeWork(after.door, outside, { pool: after.pool, work });
    await after.pool.end();
    return WAITED.test(running.said())
      ? faults
      : [...faults, `it did not say why it waits: ${running.said()}`];
  } finally {
    if (running !== null) {
      await end(running, 'Ctrl-C');
    }
    await outside.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
