import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../eventually.js';
import { freePort } from './ports.js';
import { listPids, type RunFile, readRunFile } from './run-file.js';
import { environmentWith } from './settings.js';

/** The root of the project under test. */
export const projectRoot = fileURLToPath(new URL('../../../../', import.meta.url));

/** A running gateway, seen from outside. */
export interface Product {
  url: string;
  dataDir: string;
  settings: Readonly<Record<string, string>>;
  run(): RunFile;
  log(): string;
}

/** A gateway that this test started and must stop. */
export type OwnProduct = Awaited<ReturnType<typeof startProduct>>;

interface Start {
  settings?: Readonly<Record<string, string>>;
  args?: readonly string[];
}

/** Sees a product that somebody else started in `dataDir`. */
export function attachProduct(dataDir: string, settings: Readonly<Record<string, string>>): Product {
  return {
    url: `http://127.0.0.1:${settings.PORT}`,
    dataDir,
    settings,
    run: () => readRunFile(dataDir),
    log: () => readFileSync(path.join(dataDir, 'product.log'), 'utf8'),
  };
}

/** `npm start -- …` with an empty data folder and ports of its own; resolves when /readyz says 200. */
export async function startProduct({ settings = {}, args = [] }: Start = {}) {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'gateway-'));
  chmodSync(dataDir, 0o755); // PostgreSQL's own user has to reach it when root runs the tests
  const own = {
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    METRICS_PORT: String(await freePort()),
    ...settings,
  };
  const seen = attachProduct(dataDir, own);
  let npm = launch(dataDir, own, args);
  await ready(seen, npm);
  /** Ctrl-C (or SIGTERM to npm alone), until every process of run.json is gone. Throws after 60 s. */
  const stop = async (signal: 'SIGINT' | 'SIGTERM' = 'SIGINT') => {
    if (hasEnded(npm)) {
      return;
    }
    const pids = listPids(seen.run());
    process.kill(signal === 'SIGINT' ? -readPid(npm) : readPid(npm), signal);
    await eventually(() => gone(npm, pids), { withinMs: 60_000 });
  };
  return {
    ...seen,
    get npmPid() {
      return readPid(npm);
    },
    stop,
    /** `npm start` again in the same data folder. */
    async startAgain() {
      npm = launch(dataDir, own, args);
      await ready(seen, npm);
    },
    /** Stops what still runs and removes the data folder. */
    async discard() {
      try {
        await stop();
      } finally {
        if (!hasEnded(npm)) {
          process.kill(-readPid(npm), 'SIGKILL');
        }
        rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
      }
    },
  };
}

/** Tells if a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits until a process that was killed has a successor in run.json that lives. */
export async function replaced(
  product: Product,
  pid: number,
  pidIn: (run: RunFile) => number | undefined,
): Promise<void> {
  await eventually(() => {
    const now = pidIn(product.run());
    if (now === undefined || now === pid || !isAlive(now)) {
      throw new Error(`${pid} was not replaced: ${now}`);
    }
  });
}

function launch(
  dataDir: string,
  settings: Readonly<Record<string, string>>,
  args: readonly string[],
): ChildProcess {
  const log = openSync(path.join(dataDir, 'product.log'), 'a');
  const npm = spawn('npm', ['start', '--', ...args], {
    cwd: projectRoot,
    env: environmentWith(settings),
    stdio: ['ignore', log, log],
    detached: true, // a process group of its own, so that Ctrl-C can be sent as a terminal sends it
  });
  const guard = spawn(
    process.execPath,
    [fileURLToPath(new URL('../guard.mjs', import.meta.url)), `${npm.pid}`],
    {
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: true, // it must outlive the Ctrl-C that ends the tests
    },
  );
  npm.once('exit', () => guard.kill());
  return npm;
}

// The first start on a fresh clone installs and builds, which can take minutes.
async function ready(product: Product, npm: ChildProcess): Promise<void> {
  const look = async () => {
    if (hasEnded(npm)) {
      return;
    }
    const { url } = product.run().api;
    const answer = await fetch(`${url}/readyz`);
    await answer.arrayBuffer();
    if (!answer.ok) {
      throw new Error(`not ready: ${answer.status}`);
    }
  };
  try {
    await eventually(look, { withinMs: 600_000, everyMs: 100 });
    if (hasEnded(npm)) {
      throw new Error('npm start ended');
    }
  } catch (cause) {
    if (!hasEnded(npm)) {
      process.kill(-readPid(npm), 'SIGKILL');
    }
    throw new Error(`npm start did not become ready:\n${product.log().slice(-4000)}`, { cause });
  }
}

function gone(npm: ChildProcess, pids: number[]): void {
  const left = pids.filter(isAlive);
  if (!hasEnded(npm) || left.length > 0) {
    throw new Error(`still alive: ${hasEnded(npm) ? '' : 'npm '}${left.join(' ')}`);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function readPid(child: ChildProcess): number {
  if (child.pid === undefined) {
    throw new Error('npm could not be started');
  }
  return child.pid;
}
