import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, freePort } from '@image-gateway/testing';
import { type LabProcess, startProcess } from '../faults/lab/start-process.js';
import type { Release } from './prepare-release.js';
import type { Site } from './start-site.js';

/** One process of a release. */
export interface Member {
  readonly process: LabProcess;
  /** Where an API answers; null for a worker. */
  readonly url: string | null;
  readonly release: Release['name'];
}

/** The programs of the product, in the order of an upgrade. */
export type App = 'generation-worker' | 'webhook-worker' | 'api';

const READY_MS = 40_000;
const COMMAND_MS = 120_000;
const START_MS = 300_000;

/** Starts one process of a release and waits until it answers. */
export async function startMember(site: Site, release: Release, app: App, number: number): Promise<Member> {
  const [port, metricsPort] = [String(await freePort()), String(await freePort())];
  const name = `${release.name}-${app}-${number}`;
  const env = { ...site.settings, PORT: port, METRICS_PORT: metricsPort };
  const started = startProcess(site, { name, app, env, root: release.root });
  site.onStop(() => started.discard());
  const probe = app === 'api' ? `http://127.0.0.1:${port}/readyz` : `http://127.0.0.1:${metricsPort}/metrics`;
  await eventually(
    async () => {
      const { status } = await fetch(probe, { signal: AbortSignal.timeout(2_000) });
      if (status !== 200) {
        throw new Error(`${name} answers ${status}`);
      }
    },
    { timeoutMs: READY_MS, everyMs: 50 },
  ).catch((error: unknown) => {
    throw new Error(`${name} did not become ready within ${READY_MS} ms: ${String(error)}`);
  });
  return { process: started, url: app === 'api' ? `http://127.0.0.1:${port}` : null, release: release.name };
}

/** Ways in which former releases migrate, by the file that says so; the last one stands in every release. */
const MIGRATING = [
  { file: 'apps/api/dist/cli/migrate/migrate.js', args: ['apps/api/dist/cli/main.js', 'migrate'] },
  { file: 'docker/migrate/apply-migrations.mjs', args: ['docker/migrate/apply-migrations.mjs'] },
  { file: 'prisma', args: ['node_modules/prisma/build/index.js', 'migrate', 'deploy'] },
];

/** Applies the migrations of a release as its container image does; throws Error with what they said. */
export async function migrate(site: Site, { root }: Release): Promise<void> {
  const way = MIGRATING.find(({ file }) => existsSync(path.join(root, file)));
  await runCommand(site, root, process.execPath, way?.args ?? []);
}

/** Migrates with `npm start` on this database, without processes of its own; throws Error with what it said. */
export async function migrateByStart(site: Site, { root }: Release): Promise<void> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'image-gateway-upgrade-start-'));
  const counts = ['--api', '0', '--workers', '0', '--webhook-workers', '0', '--no-dashboard'];
  const child = spawn(process.execPath, ['scripts/start.mjs', ...counts], {
    cwd: root,
    env: { ...site.settings, METRICS_PORT: '', DATA_DIR: dataDir, HOME: process.env.HOME ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  const ended = once(child, 'close');
  try {
    const until = performance.now() + START_MS;
    while (
      !existsSync(path.join(dataDir, 'run.json')) &&
      child.exitCode === null &&
      performance.now() < until
    ) {
      await sleep(50);
    }
    const isUp = existsSync(path.join(dataDir, 'run.json'));
    child.kill('SIGTERM');
    await ended;
    if (!isUp) {
      throw new Error(`npm start has not migrated:\n${said}`);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Calls the operator's command line of a release and returns what it printed. */
export async function callGateway<T>(site: Site, { root }: Release, ...args: string[]): Promise<T> {
  const main = path.join(root, 'apps/api/dist/cli/main.js');
  return JSON.parse(await runCommand(site, root, process.execPath, [main, ...args, '--json'])) as T;
}

function runCommand(site: Site, cwd: string, file: string, args: readonly string[]): Promise<string> {
  const env = { ...site.settings, NO_COLOR: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' };
  return new Promise((resolve, reject) => {
    execFile(file, [...args], { cwd, env, timeout: COMMAND_MS }, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout);
      } else {
        reject(new Error(`${path.basename(file)} ${args.join(' ')} failed:\n${stdout}${stderr}`));
      }
    });
  });
}
