import { type ChildProcess, spawn } from 'node:child_process';
import { killGroup } from '../process/kill-group.js';
import { startGuard } from '../process/start-guard.js';
import { describeS3, type S3Description } from './describe-s3.js';
import type { S3Options } from './server-commands.js';

/** Running object store without a supervisor, for tests and tools. */
export interface StartedS3 extends S3Description {
  readonly pid: () => number | undefined;
  /** Starts it again after `kill`, on the same port and data. */
  readonly start: () => Promise<void>;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Ends it for good. */
  readonly stop: () => Promise<void>;
}

/** Starts an object store and waits until it responds; it ends with this process at the latest. */
export async function startS3(options: S3Options): Promise<StartedS3> {
  const description = describeS3({ ...options, parent: { pid: process.pid, lingerMs: 0 } });
  const guard = startGuard({ graceMs: 0, onPid: () => undefined });
  let child: ChildProcess | undefined;
  let ended: Promise<void> = Promise.resolve();
  let stopping = false;

  const kill = (signal: NodeJS.Signals) => {
    if (child?.pid !== undefined) {
      killGroup(child.pid, signal);
    }
  };

  async function start(): Promise<void> {
    await ended;
    const { file, args, env, cwd } = await description.command();
    if (stopping) {
      throw new Error('the object store was stopped while it started');
    }
    const started = spawn(file, args, {
      env,
      ...(cwd === undefined ? {} : { cwd }),
      detached: true,
      stdio: 'ignore',
    });
    child = started;
    const { pid } = started;
    if (pid !== undefined) {
      guard.add(pid, 'service', 'SIGKILL');
    }
    const tooEarly = new AbortController();
    ended = new Promise((resolve) => {
      started.once('exit', () => {
        if (pid !== undefined) {
          guard.remove(pid);
        }
        tooEarly.abort(new Error('the object store ended before it was ready'));
        child = undefined;
        resolve();
      });
    });
    await description.ready({ signal: tooEarly.signal });
  }

  async function stop(): Promise<void> {
    stopping = true;
    kill('SIGCONT');
    kill('SIGTERM');
    await ended;
    guard.close();
  }

  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...description, pid: () => child?.pid, start, kill, stop };
}
