import { execFile } from 'node:child_process';
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

const READY_MS = 120_000;
const COMMAND_MS = 240_000;
/** Command line of the operator, below the root of a release. */
export const COMMANDS = 'apps/api/dist/cli/main.js';

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

/** Applies the migrations of a release as its container image does; throws Error with what they said. */
export async function migrate(site: Site, { root }: Release): Promise<void> {
  await runCommand(site, root, 'migrate');
}

/** Calls the operator's command line of a release and returns what it printed. */
export async function callGateway<T>(site: Site, { root }: Release, ...args: string[]): Promise<T> {
  return JSON.parse(await runCommand(site, root, ...args, '--json')) as T;
}

async function runCommand({ settings }: Site, root: string, ...args: string[]): Promise<string> {
  const { code, stdout, said } = await runProgram(root, [COMMANDS, ...args], settings);
  if (code !== 0) {
    throw new Error(`${args.join(' ')} failed:\n${said}`);
  }
  return stdout;
}

/** Runs a program of a release; returns its exit code, what it printed, and all that it said. */
export function runProgram(
  cwd: string,
  command: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly code: unknown; readonly stdout: string; readonly said: string }> {
  const env = { ...settings, NO_COLOR: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd, env, timeout: COMMAND_MS }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, said: `${stdout}${stderr}` }),
    );
  });
}
