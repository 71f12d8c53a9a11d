import { findTask } from '@image-gateway/shared/db';
import { presentTask } from '@image-gateway/shared/presenters';
import {
  createTestAccount,
  createTestDatabase,
  createTestRedis,
  eventually,
  type Receiver,
  type Responder,
  startReceiver,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { deliveryRow } from './support/delivery-row.js';
import { finishTask } from './support/finish-task.js';
import { startWorker, type TestWorker } from './support/start-worker.js';

let database: TestDatabase;
let redisUrl = '';
let account: TestAccount;
let receiver: Receiver;
let canary: Receiver;
let worker: TestWorker;
const answers = new Map<string, Responder>();

beforeAll(async () => {
  database = await createTestDatabase();
  redisUrl = (await createTestRedis()).url;
  account = await createTestAccount(database);
  receiver = await startReceiver((response, request, count) => {
    const answer = answers.get(request.path);
    const earlier = receiver.requests.slice(0, count).filter(({ path }) => path === request.path).length;
    if (answer) {
      answer(response, request, earlier);
    } else {
      response.end('ok');
    }
  });
  canary = await startReceiver();
  const env = {
    OUTBOUND_ALLOW: `${receiver.hostPort},${canary.hostPort}`,
    WEBHOOK_RETRY_SCHEDULE: '0.2,0.4,0.8',
    WEBHOOK_TIMEOUT_MS: '2000',
  };
  worker = startWorker(database.db, env, redisUrl, { searchEveryMs: 50 });
});
afterAll(async () => {
  await worker.stop();
  await Promise.all([receiver.close(), canary.close()]);
  await database.checkInvariants('rest');
  await database.close();
});

const send = async (path: string, answer?: Responder, from = account) => {
  if (answer) {
    answers.set(path, answer);
  }
  const { taskId, deliveryId } = await finishTask(database, from, `${receiver.url}${path}`);
  const got = () => receiver.requests.filter((request) => request.path === path);
  const untilState = (state: string) =>
    eventually(async () => {
      const row = await deliveryRow(database, deliveryId);
      expect(row.state).toBe(state);
      return row;
    });
  return { taskId, deliveryId, got, untilState };
};
const verify = (secret: string, request: { body: Buffer; headers: object } | undefined) =>
  new Webhook(secret).verify(request?.body ?? '', { ...request?.headers } as Record<string, string>);
const status =
  (code: number, headers: Record<string, string> = {}): Responder =>
  (response) =>
    response.writeHead(code, headers).end('answer');

describe('a webhook', () => {
  test('arrives once, signed over the very bytes sent, with the task exactly as the task endpoint gives it', async () => {
    const { taskId, deliveryId, got, untilState } = await send('/plain');
    const row = await untilState('delivered');
    const [request] = got();
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': deliveryId,
      'user-agent': expect.stringMatching(/^image-gateway\/\d+\.\d+\.\d+/),
    });
    expect(Math.abs(Number(request?.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(5);
    expect(request?.body.toString()).toBe(row.body);
    const event = verify(account.webhookSecret, request) as { type: string; data: unknown };
    const task = await findTask(database.db, taskId);
    expect(event.type).toBe('task.failed');
    expect(JSON.stringify(event.data)).toBe(
      JSON.stringify(task && presentTask(task, 'http://localhost:3000/files')),
    );
    expect([row.attempt, row.last_status, row.last_error, row.next_attempt_at]).toEqual([1, 200, null, null]);
    expect(got()).toHaveLength(1);
  });

  test('a webhook is sent again after 500, 500 with the same id, fresh timestamps and valid signatures, and then no more', async () => {
    const { deliveryId, got, untilState } = await send('/flaky', (response, _, count) =>
      response.writeHead(count < 2 ? 500 : 200).end(),
    );
    const row = await untilState('delivered');
    expect(row.attempt).toBe(3);
    const requests = got();
    expect(requests.map(({ headers }) => headers['webhook-id'])).toEqual([
      deliveryId,
      deliveryId,
      deliveryId,
    ]);
    const times = requests.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    for (const [index, request] of requests.entries()) {
      expect(() => verify(account.webhookSecret, request)).not.toThrow();
      expect(Math.abs((times[index] ?? 0) - request.at / 1000)).toBeLessThan(3);
    }
  });

  test('a webhook has failed when all attempts are used up, and says what was answered last', async () => {
    const { got, untilState } = await send('/never', status(503));
    const row = await untilState('failed');
    expect([row.attempt, row.last_status, row.last_error, row.next_attempt_at]).toEqual([
      4,
      503,
      'answered 503',
      null,
    ]);
    expect(got()).toHaveLength(4);
  });

  test('a webhook does not follow a redirect: the target is never called and the attempt has failed', async () => {
    const { got, untilState } = await send('/moved', status(302, { location: `${canary.url}/x` }));
    const row = await untilState('failed');
    expect([row.last_status, row.last_error, got().length]).toEqual([302, 'answered 302', 4]);
    expect(canary.requests).toEqual([]);
  });

  test('a webhook ends at once when the receiver is gone', async () => {
    const { got, untilState } = await send('/gone', status(410));
    const row = await untilState('failed');
    expect([row.attempt, row.last_status, got().length]).toEqual([1, 410, 1]);
  });

  test.each([
    ['seconds', () => '90', 90],
    ['an HTTP date', () => new Date(Date.now() + 90_000).toUTCString(), 90],
    ['more than a day', () => '999999', 86_400],
  ])('a webhook waits as long as Retry-After says in %s', async (name, header, seconds) => {
    const { deliveryId } = await send(`/busy-${name.length}`, (response) =>
      response.writeHead(429, { 'retry-after': header() }).end(),
    );
    await eventually(async () => {
      const row = await deliveryRow(database, deliveryId);
      expect([row.state, row.last_status]).toEqual(['pending', 429]);
      expect((row.due_in_ms ?? 0) / 1000).toBeGreaterThan(seconds - 4);
      expect((row.due_in_ms ?? 0) / 1000).toBeLessThanOrEqual(seconds + 1);
    });
  });

  test('a webhook carries two signatures for 24 hours after a rotation, each good for its own secret, and one afterwards', async () => {
    const other = await createTestAccount(database);
    const rotate = (hours: number) =>
      database.pool.query(
        `UPDATE accounts SET webhook_secret_previous = webhook_secret, webhook_secret = 'whsec_' || encode(sha256(id::bytea), 'base64'),
           webhook_secret_overlap_until = now() + $2 * interval '1 hour' WHERE id = $1 RETURNING webhook_secret`,
        [other.id, hours],
      );
    const { rows } = await rotate(24);
    const during = await send('/rotated', undefined, other);
    await during.untilState('delivered');
    const [request] = during.got();
    expect(String(request?.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(() => verify(other.webhookSecret, request)).not.toThrow();
    expect(() => verify(rows[0].webhook_secret, request)).not.toThrow();
    expect(() => verify(account.webhookSecret, request)).toThrow();

    await database.pool.query(`UPDATE accounts SET webhook_secret_overlap_until = now() WHERE id = $1`, [
      other.id,
    ]);
    const after = await send('/rotated-later', undefined, other);
    await after.untilState('delivered');
    expect(String(after.got()[0]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect(() => verify(other.webhookSecret, after.got()[0])).toThrow();
  });

  test('a webhook leaves nothing but its host in the log', async () => {
    const { untilState } = await send('/plain?token=planted-in-query');
    await untilState('delivered');
    const lines = worker.log.filter((line) => line.includes(receiver.hostPort));
    expect(lines.length).toBeGreaterThan(0);
    expect(worker.log.join('\n')).not.toMatch(/planted|\/plain|Fehlgeschlagen|whsec_[0-9A-Za-z]/);
  });
});
