import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import net from 'node:net';
import {
  createTestAccount,
  createTestDatabase,
  createTestRedis,
  eventually,
  freePort,
  reportWorker,
  repositoryRoot,
} from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';

/** Starts the compiled program with nothing but these settings, and with at most so many open files. */
function start(env: Record<string, string>, maxFiles = 4_096) {
  const root = repositoryRoot();
  const child: ChildProcess = spawn(
    '/bin/sh',
    ['-c', 'ulimit -n "$0"; exec "$@"', String(maxFiles), process.execPath, 'apps/api/dist/main.js'],
    { cwd: root, env: { PATH: process.env.PATH ?? '', ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  let errors = '';
  child.stdout?.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr?.on('data', (data: Buffer) => (errors += data.toString()));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { child, ended, output: () => output, errors: () => errors };
}

async function settings(): Promise<Record<string, string>> {
  return {
    DATABASE_URL: 'postgresql://127.0.0.1:1/x',
    REDIS_URL: 'redis://127.0.0.1:1',
    S3_ENDPOINT: 'http://127.0.0.1:1',
    S3_ACCESS_KEY: 'a',
    S3_SECRET_KEY: 'b',
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    METRICS_PORT: '0',
  };
}

describe('the process', () => {
  test('the process without settings names every missing one and ends with 1', async () => {
    const { ended, errors } = start({ TRUST_PROXY: 'everybody' });
    expect(await ended).toBe(1);
    for (const name of [
      'DATABASE_URL',
      'REDIS_URL',
      'S3_ENDPOINT',
      'S3_ACCESS_KEY',
      'S3_SECRET_KEY',
      'TRUST_PROXY',
    ]) {
      expect(errors()).toContain(name);
    }
    expect(errors()).not.toMatch(/\n\s+at /);
  });

  test('the process says in one line that its port is taken, and ends with 1', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    const { ended, errors } = start({ ...(await settings()), PORT: String(port) });
    expect(await ended).toBe(1);
    expect(errors().trim().split('\n')).toEqual([expect.stringContaining(String(port))]);
    server.close();
  });

  test('the process starts without any service, is alive and not ready, and ends with 0 on SIGTERM', async () => {
    const env = await settings();
    const { child, ended } = start(env);
    const url = `http://127.0.0.1:${env.PORT}`;
    await eventually(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200));
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  test('a process that was frozen judges its first request by the last report of a worker', async () => {
    const database = await createTestDatabase();
    const account = await createTestAccount(database);
    const env: Record<string, string> = { ...(await settings()), DATABASE_URL: database.url };
    const { child, ended } = start(env);
    const submit = async (): Promise<number> => {
      const { status } = await fetch(`http://127.0.0.1:${env.PORT}/v1/generate`, {
        method: 'POST',
        headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'nanobanana', prompt: 'a fox' }),
      });
      return status;
    };
    await reportWorker(database, { candidates: [], providers: ['gemini'] });
    await eventually(async () => expect(await submit()).toBe(202));
    child.kill('SIGSTOP');
    await reportWorker(database, { candidates: [], providers: ['other'], sandboxServesRest: false });
    await eventually(async () => {
      const { rows } = await database.pool.query(
        "SELECT FROM worker_reports WHERE seen_at < now() - interval '5 seconds'",
      );
      expect(rows).toHaveLength(1);
    });
    child.kill('SIGCONT');
    expect(await submit()).toBe(400);
    await reportWorker(database, { candidates: [], providers: ['gemini'] });
    await eventually(async () => expect(await submit()).toBe(202));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    await database.close();
  });

  test('idle connections stay below the limit of open files: those that are there are served, others are dropped, counted and logged', async () => {
    const env: Record<string, string> = { ...(await settings()), METRICS_PORT: String(await freePort()) };
    const { child, ended, output } = start(env, 400);
    const url = `http://127.0.0.1:${env.PORT}`;
    await eventually(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200));
    const served = new Agent({ keepAlive: true, maxSockets: 1 });
    const look = () =>
      new Promise<number>((resolve, reject) => {
        get(`${url}/healthz`, { agent: served }, (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
        }).once('error', reject);
      });
    expect(await look()).toBe(200);
    const idle = Array.from({ length: 600 }, () =>
      net.connect(Number(env.PORT), '127.0.0.1').on('error', () => undefined),
    );
    await eventually(() => expect(idle.filter(({ closed }) => closed).length).toBeGreaterThan(300));
    expect(await look()).toBe(200);
    const text = await (await fetch(`http://127.0.0.1:${env.METRICS_PORT}/metrics`)).text();
    expect(Number(/http_connections_dropped_total(?:\{.*\})? (\d+)/.exec(text)?.[1])).toBeGreaterThan(300);
    expect(output().match(/connections are dropped/g)).toHaveLength(1);
    for (const socket of idle) {
      socket.destroy();
    }
    served.destroy();
    await eventually(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  test.each(['PORT', 'METRICS_PORT'])(
    'connections that leave the server and are reset, or stay half open, end neither the process nor stay (%s)',
    async (name) => {
      const env: Record<string, string> = { ...(await settings()), METRICS_PORT: String(await freePort()) };
      const { child, ended, output } = start(env);
      const isAlive = async (): Promise<void> =>
        expect((await fetch(`http://127.0.0.1:${env.PORT}/healthz`)).status).toBe(200);
      await eventually(isAlive);
      const countSockets = async (): Promise<number> => {
        const folder = `/proc/${child.pid}/fd`;
        const links = (await readdir(folder)).map((file) => readlink(`${folder}/${file}`).catch(() => ''));
        return (await Promise.all(links)).filter((link) => link.startsWith('socket:')).length;
      };
      const before = await countSockets();
      const open = (text: string): net.Socket => {
        const socket = net.connect({ port: Number(env[name]), host: '127.0.0.1', allowHalfOpen: true });
        socket.on('error', () => undefined);
        socket.write(text);
        return socket;
      };
      const heard = (socket: net.Socket, ...events: readonly string[]): Promise<unknown> =>
        Promise.race(events.map((event) => new Promise((resolve) => socket.once(event, resolve))));
      const upgrade = 'Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n';
      const doors = [
        'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
        `CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n${'x'.repeat(100_000)}`,
        `GET /healthz HTTP/1.1\r\nHost: a\r\n${upgrade}`,
        'NONSENSE\r\n\r\n',
        `GET / HTTP/1.1\r\nx: ${'a'.repeat(100_000)}`,
      ];
      for (const text of doors) {
        // With its answer unread, with its answer read, and before it.
        const unread = open(text).pause();
        const read = open(text);
        await heard(read, 'data', 'end', 'close');
        read.resetAndDestroy();
        unread.resetAndDestroy();
        const early = open(text);
        await once(early, 'connect');
        early.resetAndDestroy();
      }
      await isAlive();
      // Their clients read the answer to its end, and never close.
      const half = Array.from({ length: 20 }, (_, n) => open(doors[n % doors.length] ?? '').resume());
      await Promise.all(half.map((socket) => heard(socket, 'end', 'close')));
      await eventually(async () => expect(await countSockets()).toBeLessThan(before + 10));
      await isAlive();
      expect([child.exitCode, output().includes('uncaught')]).toEqual([null, false]);
      for (const socket of half) {
        socket.destroy();
      }
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
    },
  );

  test('the process shows its metrics on a port of their own, on the loopback address alone, whatever HOST is', async () => {
    const [database, redis] = [await createTestDatabase(), await createTestRedis()];
    const env: Record<string, string> = {
      ...(await settings()),
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      METRICS_PORT: String(await freePort()),
      HOST: '0.0.0.0',
    };
    const { child, ended } = start(env);
    await eventually(async () =>
      expect((await fetch(`http://127.0.0.1:${env.PORT}/readyz`)).status).toBe(200),
    );
    const text = await (await fetch(`http://127.0.0.1:${env.METRICS_PORT}/metrics`)).text();
    expect(text).toMatch(/gateway_http_requests_total\{.*route="\/readyz".*status="200"/);
    // 127.0.0.2 is another address of the same machine, on Linux.
    await expect(fetch(`http://127.0.0.2:${env.METRICS_PORT}/metrics`)).rejects.toThrow();
    expect((await fetch(`http://127.0.0.1:${env.PORT}/metrics`)).status).toBe(404);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    await database.close();
  });
});
