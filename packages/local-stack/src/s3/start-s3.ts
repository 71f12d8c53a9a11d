import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { killGroup } from '../process/kill-group.js';
import { describeS3, type S3Description } from './describe-s3.js';
import type { S3Options } from './s3-options.js';

/** An object store that runs, without a supervisor: for tests and tools. */
export interface StartedS3 extends S3Description {
  pid(): number | undefined;
  /** Starts it again after `kill` or `stop`, on the same port and data. */
  start(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** Starts an object store and waits until it answers; the embedded one ends with this process at the latest. */
export async function startS3(options: S3Options): Promise<StartedS3> {
  const description = describeS3({ ...options, parentPid: process.pid });
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const { file, args, env, cwd } = await description.command();
    const ended = new AbortController();
    const started = spawn(file, args, {
      env,
      ...(cwd === undefined ? {} : { cwd }),
      detached: true,
      stdio: 'ignore',
    });
    started.once('exit', () => ended.abort(new Error(`the object store ended before it was ready`)));
    child = started;
    await description.ready({ signal: ended.signal });
  }

  const kill = (signal: NodeJS.Signals) => {
    if (child?.pid !== undefined) killGroup(child.pid, signal);
  };
  await start();
  return {
    ...description,
    pid: () => child?.pid,
    start,
    kill,
    async stop() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      kill('SIGTERM');
      await exit;
    },
  };
}
