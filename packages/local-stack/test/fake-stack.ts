import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually, freePort } from '@image-gateway/testing';
import { startedAt } from '../../../scripts/process/process-identity.mjs';

const program = path.join(import.meta.dirname, 'fixtures/run-fake-stack.mjs');

export interface Service {
  pid: number;
  url: string;
}

export interface RunJson {
  api: Service & { pids: number[]; metricsUrl: string };
  generationWorkers: { pid: number; metricsUrl: string }[];
  webhookWorkers: { pid: number; metricsUrl: string }[];
  postgres: Service;
  redis: Service;
  s3: Service & { bucket: string; accessKey: string; secretKey: string };
  demo: { accountId: string; apiKey: string; email: string; password: string; webhookSecret: string };
  operator: { email: string; password: string };
}

export interface FakeStack {
  child: ChildProcess;
  output(): string;
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
}

/** Creates a data folder for one test file, which the user of PostgreSQL can reach. */
export function makeDataDir(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'local-stack-test-'));
  fs.chmodSync(folder, 0o755);
  return folder;
}

/** Returns settings with free ports. */
export async function ownPorts(): Promise<Record<string, string>> {
  return { PORT: String(await freePort()), METRICS_PORT: String(await freePort()) };
}

/** Starts the stack with stand-ins for the programs of the product; `env` comes on top of a clean environment. */
export function startFakeStack(env: Record<string, string>, args: string[] = []): FakeStack {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH, HOME, SHUTDOWN_GRACE_MS: '5000', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return {
    child,
    output: () => output,
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}

/** Reads the current `run.json`. */
export const readRun = (dataDir: string): RunJson =>
  JSON.parse(fs.readFileSync(path.join(dataDir, 'run.json'), 'utf8')) as RunJson;

/** Waits until the stack runs; throws its output when it ends instead. */
export async function untilUp(stack: FakeStack): Promise<void> {
  await eventually(
    () => {
      if (!stack.output().includes('image-gateway is running')) {
        throw new Error(stack.output());
      }
    },
    { timeoutMs: 55_000 },
  );
}

/** Lists the processes in `run.json`. */
export function listPids(run: RunJson): number[] {
  const workers = [...run.generationWorkers, ...run.webhookWorkers];
  return [run.api, ...workers, run.postgres, run.redis, run.s3].map(({ pid }) => pid);
}

/** Returns whether a process runs; a zombie does not. */
export const isAlive = (pid: number): boolean => startedAt(pid) !== null;
