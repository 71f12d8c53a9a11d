import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, freePort } from '@image-gateway/testing';
import type { RunningStore } from './conformance/running-store.js';

const bucket = 'image-gateway';

/** versitygw on a folder (its posix back end), on a port of its own. */
export async function startVersitygw(program: string): Promise<RunningStore> {
  // It keeps metadata in extended attributes, which some temporary folders (tmpfs of older kernels) do not have.
  const folder = mkdtempSync(path.join(tmpdir(), 'versitygw-'));
  mkdirSync(path.join(folder, bucket));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const [accessKey, secretKey] = [randomBytes(10).toString('hex'), randomBytes(20).toString('hex')];
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    child = spawn(program, ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', folder], {
      env: { PATH: process.env.PATH, HOME: folder, ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
      stdio: 'ignore',
    });
    await eventually(() => fetch(url));
  }
  const kill = (signal: NodeJS.Signals) => void child?.kill(signal);

  await start();
  return {
    url,
    bucket,
    accessKey,
    secretKey,
    start,
    kill,
    async stop() {
      if (child && child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit');
        kill('SIGTERM');
        await exit;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
