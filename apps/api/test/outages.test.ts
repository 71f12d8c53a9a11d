import net from 'node:net';
import { eventually, freePort, type TestAccount, testServices } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from './support/start-api.js';

/** Stands between the API and a service: passes everything on, refuses, or swallows everything. */
function startProxy(target: URL) {
  const sockets = new Set<net.Socket>();
  let mode: 'pass' | 'refuse' | 'swallow' = 'pass';
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    if (mode === 'refuse') {
      return void socket.destroy();
    }
    if (mode === 'swallow') {
      return void socket.resume();
    }
    const onward = net.connect(Number(target.port), target.hostname);
    sockets.add(onward);
    onward.on('error', () => socket.destroy());
    onward.on('close', () => {
      sockets.delete(onward);
      socket.destroy();
    });
    socket.on('close', () => onward.destroy());
    socket.on('data', (data) => mode !== 'swallow' && onward.write(data));
    onward.on('data', (data) => mode !== 'swallow' && socket.write(data));
  });
  return {
    listen: (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve)),
    set: (next: typeof mode) => {
      mode = next;
      if (next !== 'swallow') {
        for (const socket of sockets) {
          socket.destroy();
        }
      }
    },
    close: () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
    },
  };
}

const body = { model: 'nanobanana', prompt: 'a fox' };
let api: TestApi;
let account: TestAccount;
let database: ReturnType<typeof startProxy>;
let redis: ReturnType<typeof startProxy>;

async function timed<T>(act: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const begun = performance.now();
  const result = await act();
  return { result, ms: performance.now() - begun };
}
const submit = () => timed(() => api.call('/v1/generate', { as: account, body }));

beforeAll(async () => {
  const [databasePort, redisPort] = [await freePort(), await freePort()];
  const redisUrl = new URL(testServices().redisUrl);
  redis = startProxy(new URL(redisUrl));
  await redis.listen(redisPort);
  redisUrl.port = String(redisPort);
  api = await startApi({
    RATE_LIMIT_KEY: '1000/60',
    REDIS_URL: redisUrl.href,
    PROXY_DATABASE: `127.0.0.1:${databasePort}`,
  });
  account = await api.account();
  database = startProxy(new URL(api.test.url));
  await database.listen(databasePort);
  await eventually(async () => expect((await api.call('/readyz')).json.data.redis).toBe('ok'));
});
afterAll(async () => {
  database.set('pass');
  redis.set('pass');
  await api.test.checkInvariants();
  await api.stop();
  database.close();
  redis.close();
});

describe('without Redis', () => {
  test.each(['refuse', 'swallow'] as const)('(%s) a submission is accepted within 2 s', async (mode) => {
    redis.set(mode);
    for (let i = 0; i < 3; i++) {
      const { result, ms } = await submit();
      expect([result.status, ms < 2_000]).toEqual([202, true]);
    }
    const answers = await Promise.all(Array.from({ length: 20 }, submit));
    expect(answers.map(({ result }) => result.status)).toEqual(Array(20).fill(202));
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(2_000);
    const { result } = await eventually(async () => {
      const look = await timed(() => api.call('/readyz'));
      expect(look.result.json.data.redis).toBe('degraded');
      expect(look.ms).toBeLessThan(1_000);
      return look;
    });
    expect(result.status).toBe(200);
    redis.set('pass');
    await eventually(async () => expect((await api.call('/readyz')).json.data.redis).toBe('ok'));
  });
});

describe('without the database', () => {
  test.each(['refuse', 'swallow'] as const)(
    '(%s) everything is 500 in the envelope within 6 s, readyz is 503 within 1 s, and it comes back by itself',
    async (mode) => {
      // A key that was just read is known for some seconds, so the outage meets the insert.
      account = await api.account();
      await submit();
      database.set(mode);
      const calls = await Promise.all([
        ...Array.from({ length: 50 }, submit),
        timed(() => api.call('/v1/tasks', { as: account })),
        timed(() => api.call('/v1/tasks/gen_0000000000000000000000', { as: account })),
        timed(() => api.call('/v1/usage/summary', { as: account })),
        timed(() => api.call('/files/images/gen_0000000000000000000000/0.png')),
      ]);
      for (const { result, ms } of calls) {
        expect([result.status, result.json.error.code, ms < 6_000]).toEqual([500, 'INTERNAL_ERROR', true]);
        expect(result.text).not.toMatch(/ECONN|postgres|SELECT|statement|timeout/i);
      }
      // Only a submit may have been accepted nevertheless.
      const submits = calls.filter(({ result }) => result.json.error.message.includes('Idempotency-Key'));
      expect(submits).toEqual(calls.slice(0, 50));
      const { result } = await eventually(async () => {
        const look = await timed(() => api.call('/readyz'));
        expect(look.result.status).toBe(503);
        expect(look.ms).toBeLessThan(1_000);
        return look;
      });
      expect(result.json.error.code).toBe('SERVICE_UNAVAILABLE');
      expect((await api.call('/healthz')).status).toBe(200);
      database.set('pass');
      await eventually(async () => expect((await submit()).result.status).toBe(202), { timeoutMs: 10_000 });
      await eventually(async () => expect((await api.call('/readyz')).status).toBe(200));
    },
  );
});
