import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeS3, type StartedS3, startS3 } from '@image-gateway/local-stack';
import { freePort } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

let folder: string;
let port: number;
const started: StartedS3[] = [];
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'object-store-'));
  port = await freePort();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((store) => store.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const options = () => ({
  folder,
  port,
  bucket: 'images',
  accessKey: 'an-access-key',
  secretKey: 'a-secret-key',
  durable: false,
  minio: null,
});
const start = async () => {
  const store = await startS3(options());
  started.push(store);
  return store;
};

describe('the process of the embedded object store', () => {
  test('the process of the embedded object store ends soon after the process it belongs to, however that ended', async () => {
    const parent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const store = describeS3({ ...options(), parent: { pid: parent.pid ?? 0, lingerMs: 0 } });
    const { file, args, env } = await store.command();
    const child = spawn(file, args, { env, stdio: 'ignore' });
    await store.ready();
    const exit = once(child, 'exit');
    parent.kill('SIGKILL');
    expect(await exit).toEqual([0, null]);
  });

  test('one that an earlier run left behind is ended before the next one starts on its files', async () => {
    const first = await start();
    const pid = first.pid() ?? 0;
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(second.pid()).not.toBe(pid);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test('the process of the embedded object store ends in order on SIGTERM, also with connections open', async () => {
    const store = await start();
    await fetch(store.url);
    const began = performance.now();
    await store.stop();
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  test('an object store whose port is in use ends with an error in one line', async () => {
    const other = await start();
    const command = await describeS3({ ...options(), folder: path.join(folder, 'other') }).command();
    const child = spawn(command.file, command.args, {
      env: command.env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(text.trim()).toBe(`object store: listen EADDRINUSE: address already in use 127.0.0.1:${port}`);
    expect((await fetch(other.url)).status).toBe(403);
  });
});
