import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A program of the bench or of the product, in a process of its own. */
export interface Program {
  readonly pid: number;
  readonly url: string;
  /** Where its metrics are; the same as `url` unless given. */
  readonly metricsUrl: string;
  readonly stop: () => Promise<void>;
}

/** How a program is started. */
export interface ProgramOptions {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where its log goes. */
  readonly folder: string;
  /** Answers 200 when the program is ready. */
  readonly readyUrl: string;
  readonly url: string;
  readonly metricsUrl?: string;
}

const READY_MS = 30_000;
const STOP_MS = 10_000;
const running = new Set<number>();

// Whatever ends the bench ends what it has started.
process.on('exit', () => {
  for (const pid of running) {
    process.kill(pid, 'SIGKILL');
  }
});

/** Starts `node ARGS` with nothing but these settings and waits until it is ready. Its log goes to a file, as in production. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { name, args, env, folder, readyUrl, url, metricsUrl = url } = options;
  const file = path.join(folder, `${name}.log`);
  const log = openSync(file, 'a');
  const child = spawn(process.execPath, [...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const { pid } = child;
  if (pid === undefined) {
    throw new Error(`${name} could not be started`);
  }
  running.add(pid);
  const ended = once(child, 'exit').then(() => void running.delete(pid));
  const until = Date.now() + READY_MS;
  for (;;) {
    const answer = await fetch(readyUrl).catch(() => null);
    if (answer?.ok) {
      break;
    }
    if (!running.has(pid) || Date.now() > until) {
      throw new Error(`${name} did not become ready:\n${readFileSync(file, 'utf8').slice(-2000)}`);
    }
    await sleep(50);
  }
  return {
    pid,
    url,
    metricsUrl,
    stop: async () => {
      if (!running.has(pid)) {
        return;
      }
      process.kill(pid, 'SIGTERM');
      const late = setTimeout(() => process.kill(pid, 'SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(late);
    },
  };
}
