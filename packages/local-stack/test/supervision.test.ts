import fs from 'node:fs';
import path from 'node:path';
import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { readCommandLine } from '../src/process/stop-leftover.js';
import {
  type FakeStack,
  listPids,
  makeDataDir,
  ownPorts,
  readRun,
  startFakeStack,
  untilUp,
} from './fake-stack.js';

const query = async (url: string, sql: string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
};

const redisCall = async (url: string, ...command: [string, ...string[]]): Promise<unknown> => {
  const client = new Redis(url);
  try {
    return await client.call(...command);
  } finally {
    client.disconnect();
  }
};

describe('a running stack', () => {
  const dataDir = makeDataDir();
  let env: Record<string, string>;
  let stack: FakeStack;

  beforeAll(async () => {
    env = { ...(await ownPorts()), DATA_DIR: dataDir };
    stack = startFakeStack(env);
    await untilUp(stack);
  });
  afterAll(async () => {
    stack.child.kill('SIGTERM');
    await stack.ended;
    fs.rmSync(dataDir, { recursive: true, force: true });
  });

  test('run.json names everything that runs and only its owner may read it', () => {
    const run = readRun(dataDir);
    expect(fs.statSync(path.join(dataDir, 'run.json')).mode & 0o777).toBe(0o600);
    const pid = expect.any(Number);
    const text = expect.any(String);
    expect(run).toEqual({
      api: expect.objectContaining({
        pid,
        url: `http://127.0.0.1:${env.PORT}`,
        metricsUrl: `http://127.0.0.1:${env.METRICS_PORT}/metrics`,
      }),
      generationWorkers: [{ pid, metricsUrl: text }],
      webhookWorkers: [{ pid, metricsUrl: text }],
      postgres: { pid, url: text },
      redis: { pid, url: text },
      s3: { pid, url: text, bucket: 'image-gateway', accessKey: text, secretKey: text },
      dashboard: { url: `http://127.0.0.1:${env.PORT}/dashboard` },
      demo: { accountId: text, apiKey: text, email: text, password: text, webhookSecret: text },
      operator: { email: text, password: text },
    });
    expect(run.api.pids).toEqual([run.api.pid]);
  });

  test('every file with a secret is for its owner only, and no process shows one in its arguments', () => {
    for (const name of ['secrets.json', 'demo.json', 'operator.json', 'redis/redis.conf']) {
      expect(fs.statSync(path.join(dataDir, name)).mode & 0o077).toBe(0);
    }
    const secrets = Object.values(
      JSON.parse(fs.readFileSync(path.join(dataDir, 'secrets.json'), 'utf8')) as object,
    );
    const shown = listPids(readRun(dataDir)).map(readCommandLine).join('\n');
    expect(shown).toContain('redis-server');
    expect(secrets.filter((secret: string) => shown.includes(secret))).toEqual([]);
  });

  test('the sandbox provider is used and sign-up is open when nothing is configured', async () => {
    const said: unknown = await (await fetch(readRun(dataDir).api.url)).json();
    expect(said).toMatchObject({ role: 'api', sandboxFallback: 'true', signup: 'true' });
  });

  test.each(['api', 'generationWorkers', 'webhookWorkers'] as const)(
    'a killed process of %s is started again on its ports',
    async (name) => {
      const entry = (): { pid: number; metricsUrl: string } => {
        const found = readRun(dataDir)[name];
        return Array.isArray(found) ? (found[0] ?? { pid: 0, metricsUrl: '' }) : found;
      };
      const before = entry();
      process.kill(before.pid, 'SIGKILL');
      await eventually(async () => {
        expect(entry().pid).toEqual(expect.any(Number));
        expect(entry().pid).not.toBe(before.pid);
        expect((await fetch(before.metricsUrl)).status).toBe(200);
      });
      expect(entry().metricsUrl).toBe(before.metricsUrl);
    },
  );

  test('a killed PostgreSQL comes back on its port with its data', async () => {
    const { postgres } = readRun(dataDir);
    await query(postgres.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    process.kill(postgres.pid, 'SIGKILL');
    await eventually(async () => {
      expect(readRun(dataDir).postgres).toEqual({ pid: expect.any(Number), url: postgres.url });
      expect(readRun(dataDir).postgres.pid).not.toBe(postgres.pid);
      expect(await query(postgres.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    });
  });

  test('a killed Redis comes back on its port with its data', async () => {
    const { redis } = readRun(dataDir);
    await redisCall(redis.url, 'SET', 'kept', '42');
    // The append-only file is written once a second; the oldest supported Redis has no WAITAOF.
    await eventually(async () =>
      expect(await redisCall(redis.url, 'INFO', 'persistence')).toContain('aof_pending_bio_fsync:0'),
    );
    process.kill(redis.pid, 'SIGKILL');
    await eventually(async () => {
      expect(readRun(dataDir).redis.pid).not.toBe(redis.pid);
      expect(await redisCall(redis.url, 'GET', 'kept')).toBe('42');
    });
  });

  test('a killed object store comes back on its port', async () => {
    const { s3 } = readRun(dataDir);
    process.kill(s3.pid, 'SIGKILL');
    await eventually(async () => {
      expect(readRun(dataDir).s3.pid).not.toBe(s3.pid);
      // It refuses those who do not sign.
      expect((await fetch(`${s3.url}/${s3.bucket}`)).status).toBe(403);
    });
    expect(readRun(dataDir).s3.url).toBe(s3.url);
  });

  test('a second stack on the same data folder is refused with the process that has it', async () => {
    const second = startFakeStack({ ...env, ...(await ownPorts()) });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`already runs on ${dataDir} (process ${stack.child.pid})`);
    expect(readRun(dataDir).api.pid).toEqual(expect.any(Number));
  });
});
