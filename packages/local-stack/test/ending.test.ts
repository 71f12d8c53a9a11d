import fs from 'node:fs';
import path from 'node:path';
import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type FakeStack,
  isAlive,
  listPids,
  makeDataDir,
  ownPorts,
  type RunJson,
  readRun,
  startFakeStack,
  untilUp,
} from './fake-stack.js';

const graceMs = 2_000;

describe('the end of a stack', () => {
  const dataDir = makeDataDir();
  let env: Record<string, string>;
  let first: RunJson;

  const stacks: FakeStack[] = [];

  async function start(more: Record<string, string> = {}): Promise<FakeStack> {
    const stack = startFakeStack({ ...env, ...more });
    stacks.push(stack);
    await untilUp(stack);
    return stack;
  }

  beforeAll(async () => {
    env = { ...(await ownPorts()), DATA_DIR: dataDir, SHUTDOWN_GRACE_MS: String(graceMs) };
    const stack = await start();
    first = readRun(dataDir);
    stack.child.kill('SIGTERM');
    await stack.ended;
  });
  afterAll(async () => {
    for (const stack of stacks) {
      stack.child.kill('SIGTERM');
    }
    await Promise.all(stacks.map((stack) => stack.ended));
    fs.rmSync(dataDir, { recursive: true, force: true });
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s ends every process, the apps before the services, with exit code 0',
    async (signal) => {
      const stack = await start();
      const pids = listPids(readRun(dataDir));
      const asked = performance.now();
      stack.child.kill(signal);
      // Ctrl-C comes twice when npm passes it on, too: the same wish.
      stack.child.kill(signal);
      expect(await stack.ended).toBe(0);
      expect(performance.now() - asked).toBeLessThan(graceMs + 2_000);
      expect(pids.filter(isAlive)).toEqual([]);
      expect(stack.output().match(/draining/g)).toHaveLength(3);
      expect(stack.output().match(/the database is still there/g)).toHaveLength(3);
      expect(fs.existsSync(path.join(dataDir, 'run.json'))).toBe(false);
    },
  );

  test('the next start has the same ports, secrets, demo account and operator', async () => {
    const stack = await start();
    const { demo, operator, postgres, redis, s3 } = readRun(dataDir);
    expect([demo, operator]).toEqual([first.demo, first.operator]);
    expect([postgres.url, redis.url, s3.url]).toEqual([first.postgres.url, first.redis.url, first.s3.url]);
    stack.child.kill('SIGTERM');
    await stack.ended;
  });

  test('apps that use up their grace period are killed, and all is gone two seconds later', async () => {
    const stack = await start({ FAKE_SLOW_END_MS: '60000' });
    const pids = listPids(readRun(dataDir));
    const asked = performance.now();
    stack.child.kill('SIGTERM');
    expect(await stack.ended).toBe(0);
    const took = performance.now() - asked;
    expect(took).toBeGreaterThan(graceMs);
    expect(took).toBeLessThan(graceMs + 2_000);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test('a second signal after more than a second kills everything at once', async () => {
    const stack = await start({ FAKE_SLOW_END_MS: '60000', SHUTDOWN_GRACE_MS: '60000' });
    const pids = listPids(readRun(dataDir));
    stack.child.kill('SIGINT');
    await eventually(() => expect(stack.output()).toContain('again to stop at once'));
    const asked = performance.now();
    await eventually(() => {
      if (performance.now() - asked < 1_200) {
        throw new Error('too early for a second one');
      }
    });
    stack.child.kill('SIGINT');
    expect(await stack.ended).toBe(130);
    await eventually(() => expect(pids.filter(isAlive)).toEqual([]));
  });

  test('a killed stack takes its processes with it, and the next start waits for them', async () => {
    // Longer than the next start takes to look for them, on a busy machine too.
    const stack = await start({ FAKE_SLOW_END_MS: '8000', SHUTDOWN_GRACE_MS: '12000' });
    const pids = listPids(readRun(dataDir));
    stack.child.kill('SIGKILL');
    await stack.ended;
    const next = await start();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(next.output()).toContain('The last run was killed, waiting for its processes to stop');
    expect(readRun(dataDir).demo).toEqual(first.demo);
    next.child.kill('SIGTERM');
    expect(await next.ended).toBe(0);
  });

  test('an object store whose supervisor and guard were killed ends by itself', async () => {
    const stack = await start();
    const { s3, ...run } = readRun(dataDir);
    const guard = JSON.parse(fs.readFileSync(path.join(dataDir, 'guard.json'), 'utf8')) as { pid: number };
    process.kill(guard.pid, 'SIGSTOP');
    stack.child.kill('SIGKILL');
    process.kill(guard.pid, 'SIGKILL');
    await stack.ended;
    await eventually(() => expect(isAlive(s3.pid)).toBe(false));
    for (const pid of listPids({ s3, ...run })) {
      if (isAlive(pid)) {
        process.kill(pid, 'SIGKILL');
      }
    }
  });

  test('servers that nothing stopped are replaced by the next start', async () => {
    const stack = await start();
    const pids = listPids(readRun(dataDir));
    const guard = JSON.parse(fs.readFileSync(path.join(dataDir, 'guard.json'), 'utf8')) as { pid: number };
    // Both at once, as a machine that is out of memory may do it; the apps would go on without anybody.
    process.kill(guard.pid, 'SIGSTOP');
    stack.child.kill('SIGKILL');
    process.kill(guard.pid, 'SIGKILL');
    await stack.ended;
    expect(pids.some(isAlive)).toBe(true);
    for (const pid of pids.slice(0, 3)) {
      process.kill(pid, 'SIGKILL');
    }
    const next = await start();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(readRun(dataDir).demo).toEqual(first.demo);
    next.child.kill('SIGTERM');
    await next.ended;
  });
});
