import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, freePort } from '@image-gateway/testing';
import type { RunningStore } from './conformance/running-store.js';

const bucket = 'image-gateway';

/** Starts versitygw on a folder (its posix back end), on a port of its own; with users beside the root if wanted. */
export async function startVersitygw(
  program: string,
  { hasUsers = false }: { readonly hasUsers?: boolean } = {},
): Promise<RunningStore> {
  // It keeps metadata in extended attributes, which some temporary folders (tmpfs of older kernels) do not have.
  const folder = mkdtempSync(path.join(tmpdir(), 'versitygw-'));
  const [buckets, users] = [path.join(folder, 'buckets'), path.join(folder, 'users')];
  mkdirSync(path.join(buckets, bucket), { recursive: true });
  mkdirSync(users);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const [accessKey, secretKey] = [randomBytes(10).toString('hex'), randomBytes(20).toString('hex')];
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const options = hasUsers ? ['--iam-dir', users] : [];
    const args = ['--port', `127.0.0.1:${port}`, '--quiet', ...options, 'posix', buckets];
    // The shell ends its group when this process is gone, since its input ends then.
    child = spawn('/bin/sh', ['-c', '"$@" & read _; kill -9 0', 'sh', program, ...args], {
      env: { PATH: process.env.PATH, HOME: folder, ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await eventually(() => fetch(url));
  }
  const kill = (signal: NodeJS.Signals) => {
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, signal);
    }
  };

  await start();
  return {
    url,
    bucket,
    accessKey,
    secretKey,
    start,
    kill,
    async stop() {
      const exit = child && child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
      kill('SIGKILL');
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
