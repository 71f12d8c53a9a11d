import { createServer, type Socket } from 'node:net';
import {
  createTestAccount,
  createTestDatabase,
  createTestRedis,
  eventually,
  freePort,
  type Listening,
  listen,
  type Receiver,
  startReceiver,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type DeliveryRow, deliveryRow } from './support/delivery-row.js';
import { finishTask } from './support/finish-task.js';
import { startWorker, type TestWorker } from './support/start-worker.js';

const TIMEOUT_MS = 1_000;

let database: TestDatabase;
let redisUrl = '';
let account: TestAccount;
let worker: TestWorker;
let healthy: Receiver;
const servers: Listening[] = [];

const HEADERS = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';
const behaviours = {
  silent: () => undefined,
  drippingHeaders: (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write('x'), 50);
    socket.on('close', () => clearInterval(timer));
  },
  endlessHeaders: (socket: Socket) => {
    const more = (): void => {
      while (socket.writable && socket.write(`x-${'a'.repeat(1000)}: b\r\n`)) {}
    };
    socket.write('HTTP/1.1 200 OK\r\n');
    socket.on('drain', more);
    more();
  },
  closing: (socket: Socket) => socket.on('data', () => socket.destroy()),
  garbage: (socket: Socket) => socket.end('\x00\x01 not HTTP at all\r\n\r\n'),
  drippingBody: (socket: Socket) => {
    socket.write(`${HEADERS}Content-Length: 100000\r\n\r\n`);
    const timer = setInterval(() => socket.write('x'), 50);
    socket.on('close', () => clearInterval(timer));
  },
  endlessBody: (socket: Socket) => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const more = (): void => {
      while (socket.writable && socket.write(chunk)) {}
    };
    socket.write(`${HEADERS}Content-Length: 10737418240\r\n\r\n`);
    socket.on('drain', more);
    more();
  },
} satisfies Record<string, (socket: Socket) => unknown>;
type Behaviour = keyof typeof behaviours;
const ports = new Map<Behaviour, number>();
let nobodyPort = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  redisUrl = (await createTestRedis()).url;
  account = await createTestAccount(database);
  healthy = await startReceiver();
  nobodyPort = await freePort();
  for (const [name, behaviour] of Object.entries(behaviours)) {
    const server = await listen(createServer(behaviour));
    servers.push(server);
    ports.set(name as Behaviour, server.port);
  }
  const allow = [...ports.values(), nobodyPort, healthy.port].map((port) => `127.0.0.1:${port}`);
  const resolve = async () => [{ address: '127.0.0.1', family: 4 as const }];
  const env = {
    OUTBOUND_ALLOW: allow.join(','),
    WEBHOOK_RETRY_SCHEDULE: '3600',
    WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS),
  };
  worker = startWorker(database.db, env, redisUrl, { searchEveryMs: 50, resolve });
});
afterAll(async () => {
  await worker.stop();
  await Promise.all([...servers.map((server) => server.close()), healthy.close()]);
  await database.close();
});

const attempted = (deliveryId: string): Promise<DeliveryRow> =>
  eventually(async () => {
    const row = await deliveryRow(database, deliveryId);
    expect(row.attempt).toBe(1);
    expect(row.state).not.toBe('sending');
    return row;
  });
const sendTo = async (url: string): Promise<DeliveryRow> =>
  attempted((await finishTask(database, account, url)).deliveryId);

describe('a receiver that', () => {
  test.each([
    ['silent', 'timed out'],
    ['drippingHeaders', 'timed out'],
    ['endlessHeaders', 'connection failed'],
    ['closing', 'connection failed'],
    ['garbage', 'connection failed'],
  ] as const)('a receiver that is %s counts as "%s" and is tried again later', async (behaviour, error) => {
    const row = await sendTo(`http://127.0.0.1:${ports.get(behaviour)}/`);
    expect([row.state, row.last_status, row.last_error]).toEqual(['pending', null, error]);
    expect(row.due_in_ms ?? 0).toBeGreaterThan(0.7 * 3_600_000);
  });

  test('a receiver that does not listen, or speaks no TLS, counts as "connection failed"', async () => {
    for (const url of [`http://127.0.0.1:${nobodyPort}/`, `https://127.0.0.1:${ports.get('garbage')}/`]) {
      expect((await sendTo(url)).last_error).toBe('connection failed');
    }
  });

  test.each(['drippingBody', 'endlessBody'] as const)(
    'a receiver that answers 200 with a %s has got the webhook, and its body is cut',
    async (behaviour) => {
      const before = process.memoryUsage().rss;
      const row = await sendTo(`http://127.0.0.1:${ports.get(behaviour)}/`);
      expect([row.state, row.last_status]).toEqual(['delivered', 200]);
      expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 ** 2);
    },
  );

  test('a receiver that stands at an address that is not public, or whose name leads to one, gets no connection and its delivery has failed', async () => {
    const canary = await listen(createServer());
    for (const host of [
      '127.0.0.1',
      '[::ffff:127.0.0.1]',
      '0x7f.1',
      'rebound.example',
      'localhost',
      'LOCALHOST',
      'any.localhost',
      'localhost.',
    ]) {
      const row = await sendTo(`http://${host}:${canary.port}/`);
      expect([row.state, row.last_status, row.last_error]).toEqual(['failed', null, 'address not allowed']);
    }
    expect(canary.connections()).toBe(0);
    await canary.close();
  });

  test('a receiver that never ends an attempt later than its timeout, nor holds up the others', async () => {
    const hanging = await Promise.all(
      Array.from({ length: 8 }, () =>
        finishTask(database, account, `http://127.0.0.1:${ports.get('silent')}/`),
      ),
    );
    const started = Date.now();
    const { deliveryId } = await finishTask(database, account, healthy.url);
    await eventually(async () => expect((await deliveryRow(database, deliveryId)).state).toBe('delivered'));
    expect(Date.now() - started).toBeLessThan(2_000);
    for (const { deliveryId: id } of hanging) {
      await attempted(id);
    }
    const ends = worker.log
      .map((line) => JSON.parse(line) as { ms?: number; reason?: string })
      .filter(({ reason }) => reason === 'timed out');
    for (const { ms } of ends) {
      expect(ms).toBeLessThan(TIMEOUT_MS + 1_000);
    }
  });
});
