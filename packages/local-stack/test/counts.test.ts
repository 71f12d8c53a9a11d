import fs from 'node:fs';
import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type FakeStack,
  isAlive,
  makeDataDir,
  ownPorts,
  readRun,
  startFakeStack,
  untilUp,
} from './fake-stack.js';

describe('a stack with several processes of a kind', () => {
  const dataDir = makeDataDir();
  let stack: FakeStack;

  /** Returns the process of the API that responded. */
  async function answering(): Promise<number> {
    const response = await fetch(readRun(dataDir).api.url, { headers: { connection: 'close' } });
    return ((await response.json()) as { pid: number }).pid;
  }

  async function allAnswer(): Promise<void> {
    const { pids } = readRun(dataDir).api;
    expect(pids).toHaveLength(2);
    const seen = new Set<number>();
    for (let n = 0; n < 20; n += 1) {
      seen.add(await answering());
    }
    expect([...seen].sort()).toEqual([...pids].sort());
  }

  beforeAll(async () => {
    const counts = ['--api', '2', '--workers', '2', '--webhook-workers', '0'];
    stack = startFakeStack({ ...(await ownPorts()), DATA_DIR: dataDir }, counts);
    await untilUp(stack);
  });
  afterAll(async () => {
    stack.child.kill('SIGTERM');
    await stack.ended;
    fs.rmSync(dataDir, { recursive: true, force: true });
  });

  test('a stack with several processes of a kind runs as many as it was asked for, each with metrics of its own, none where none was wanted', async () => {
    const { generationWorkers, webhookWorkers } = readRun(dataDir);
    expect(webhookWorkers).toEqual([]);
    expect(new Set(generationWorkers.map(({ pid }) => pid)).size).toBe(2);
    const statuses = await Promise.all(
      generationWorkers.map(async ({ metricsUrl }) => (await fetch(metricsUrl)).status),
    );
    expect(statuses).toEqual([200, 200]);
    expect(new Set(generationWorkers.map(({ metricsUrl }) => metricsUrl)).size).toBe(2);
  });

  test('shares the port of the API among the processes that run.json names', async () => {
    await eventually(allAnswer);
  });

  test('a stack with several processes of a kind replaces a killed process of the API while the other one serves', async () => {
    const [killed = 0] = readRun(dataDir).api.pids;
    process.kill(killed, 'SIGKILL');
    await eventually(() => expect(readRun(dataDir).api.pids).not.toContain(killed));
    const answered = await answering();
    expect(readRun(dataDir).api.pids).toContain(answered);
    await eventually(allAnswer);
  });

  test('a stack with several processes of a kind replaces all processes of the API when the one that shares the port out is killed', async () => {
    const { pid, pids } = readRun(dataDir).api;
    process.kill(pid, 'SIGKILL');
    await eventually(() => expect(readRun(dataDir).api.pid).not.toBe(pid));
    await eventually(allAnswer);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test('a stack with several processes of a kind ends with all of them', async () => {
    const run = readRun(dataDir);
    stack.child.kill('SIGTERM');
    expect(await stack.ended).toBe(0);
    const pids = [run.api.pid, ...run.api.pids, ...run.generationWorkers.map(({ pid }) => pid)];
    expect(pids.filter(isAlive)).toEqual([]);
  });
});
