import { settleTask } from '@image-gateway/shared/billing';
import type { TaskRow } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { createLogger } from '@image-gateway/shared/logging';
import { createRedis } from '@image-gateway/shared/queues';
import { eventually, type TestAccount, testServices } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let owner: TestAccount;
let stranger: TestAccount;
beforeAll(async () => {
  api = await startApi({ REDIS_PREFIX: 'waits' });
  owner = await api.account();
  stranger = await api.account();
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

const BODY = { model: 'nanobanana', prompt: 'a fox' };
const begun = (): Promise<TaskRow> => finishTask(api, owner, { settle: false });
const settle = ({ id }: { readonly id: string }) =>
  settleTask(
    { db: api.test.db, newId, fileUrl: 'http://gateway.test/files' },
    { taskId: id, attempt: 1, reason: 'The upstream provider failed.' },
  );
const read = (path: string, as = owner, headers = {}) => api.call(`/v1/tasks/${path}`, { as, headers });
/** Resolves when a request of a route has been logged with a status. */
const logged = (route: string, status: number) =>
  eventually(() =>
    expect(api.lines.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ message: 'request', route, status }),
    ),
  );

describe('GET /v1/tasks/{id}?wait=N', () => {
  test('GET /v1/tasks/{id}?wait=N answers when the task ends, with the bytes of an answer without waiting', async () => {
    const task = await begun();
    const waiting = read(`${task.id}?wait=30`);
    const foreign = await read(`${task.id}?wait=30`, stranger);
    await settle(task);
    const waited = await waiting;
    const plain = await read(task.id);
    expect(foreign.status).toBe(404);
    expect(plain.text).toContain('"status":"completed"');
    expect([waited.text, waited.headers.get('etag')]).toEqual([plain.text, plain.headers.get('etag')]);
  });

  test('GET /v1/tasks/{id}?wait=N answers after N seconds what an answer without waiting is, 304 included', async () => {
    const task = await begun();
    const plain = await read(task.id);
    const etag = plain.headers.get('etag') ?? '';
    const startedAt = performance.now();
    const [waited, same] = await Promise.all([
      read(`${task.id}?wait=1`),
      read(`${task.id}?wait=1`, owner, { 'if-none-match': etag }),
    ]);
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    expect([waited.status, waited.text, same.status]).toEqual([200, plain.text, 304]);
  });

  test.each(['0', '56', '', 'x', '1.5', '-1', '1&wait=2'])('wait=%s is refused', async (wait) => {
    const { status, json } = await read(`gen_0000000000000000000000?wait=${wait}`);
    expect([status, json.error]).toEqual([
      400,
      { code: 'BAD_REQUEST', message: 'wait must be an integer from 1 to 55.' },
    ]);
  });

  test('GET /v1/tasks/{id}?wait=N ends with the connection of its client', async () => {
    const task = await begun();
    const leaving = new AbortController();
    const waiting = fetch(`${api.url}/v1/tasks/${task.id}?wait=55`, {
      headers: { authorization: `Bearer ${owner.apiKey}` },
      signal: leaving.signal,
    });
    const failed = expect(waiting).rejects.toThrow('abort');
    // The request has come by the time of the answer to a later one.
    await read(`${task.id}?wait=1`);
    leaving.abort();
    await failed;
    await logged('/v1/tasks/:id', 499);
  });

  test('hears of ends through Redis', async () => {
    const logger = createLogger({ service: 'test', level: 'error' });
    const redis = createRedis({ url: testServices().redisUrl, mode: 'patient', name: 'test', logger });
    await eventually(async () =>
      expect(await redis.publish('{waits}:task-ends', 'gen_0000000000000000000000')).toBe(1),
    );
    redis.disconnect();
  });
});

describe('Prefer: wait=N on POST /v1/generate', () => {
  const submit = (headers: Record<string, string>) =>
    api.call('/v1/generate', { as: owner, body: BODY, headers });
  const findNewest = async (): Promise<string> => {
    const { json } = await api.call('/v1/tasks?per_page=1', { as: owner });
    return json.data.items.map((item) => item.id)[0] ?? '';
  };
  const finish = async (id: string) => {
    await api.test.pool.query(
      "UPDATE tasks SET phase = 'running', attempt = 1, started_at = now(), lease_until = now() + interval '1 minute' WHERE id = $1",
      [id],
    );
    return settle({ id });
  };

  test('Prefer: wait=N on POST /v1/generate answers 202 with the task at its end, also to who repeats with the same Idempotency-Key', async () => {
    const before = await findNewest();
    const headers = { prefer: 'respond-async, wait=30', 'idempotency-key': 'waits' };
    const first = submit(headers);
    await eventually(async () => expect(await findNewest()).not.toBe(before));
    const id = await findNewest();
    const second = submit(headers);
    await finish(id);
    const answers = await Promise.all([first, second, submit(headers)]);
    const { text } = await read(id);
    expect(text).toContain('"status":"failed"');
    expect(answers.map((answer) => [answer.status, answer.text])).toEqual(Array(3).fill([202, text]));
    expect(answers.map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([
      null,
      'true',
      'true',
    ]);
    expect(answers[0].headers.get('location')).toBe(`/v1/tasks/${id}`);
    expect(answers[0].headers.get('preference-applied')).toBe('wait=30');
  });

  test.each(['wait=soon', 'wait=0', 'wait=600', 'respond-async'])('%s does not wait', async (prefer) => {
    const { status, text, headers } = await submit({ prefer });
    expect([status, text.includes('"status":"pending"')]).toEqual([202, true]);
    expect(headers.get('preference-applied')).toBeNull();
  });

  test('Prefer: wait=N on POST /v1/generate is a 202 of a pending task when the time is over', async () => {
    const { status, text } = await submit({ prefer: 'wait=1' });
    expect([status, text.includes('"status":"pending"')]).toEqual([202, true]);
  });
});

/** Opens the events of a task; resolves with the head of the answer. */
const openEvents = (
  on: TestApi,
  { apiKey }: TestAccount,
  { id }: TaskRow,
  signal: AbortSignal | null = null,
) => fetch(`${on.url}/v1/tasks/${id}/events`, { headers: { authorization: `Bearer ${apiKey}` }, signal });

describe('GET /v1/tasks/{id}/events', () => {
  const follow = (id: string, as = owner, method = 'GET') =>
    api.call(`/v1/tasks/${id}/events`, { as, method });
  const bare = async (id: string) => JSON.stringify((await read(id)).json.data);

  test('GET /v1/tasks/{id}/events sends the task as it is now and at its end, then closes', async () => {
    const task = await begun();
    const now = await bare(task.id);
    // Its head says that the task has been read.
    const following = await openEvents(api, owner, task);
    await settle(task);
    const { status, headers } = following;
    const text = await following.text();
    const then = await bare(task.id);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(text).toBe(
      `event: status\nid: pending\ndata: ${now}\n\nevent: status\nid: completed\ndata: ${then}\n\n`,
    );
    expect((await follow(task.id)).text).toBe(`event: status\nid: completed\ndata: ${then}\n\n`);
  });

  test('GET /v1/tasks/{id}/events is 404 for strangers and unknown tasks, and closed at once for HEAD', async () => {
    const task = await begun();
    expect((await follow(task.id, stranger)).status).toBe(404);
    expect((await follow("gen_'")).status).toBe(404);
    expect((await follow(task.id, owner, 'HEAD')).status).toBe(200);
  });
});

test('an account has a hundred places for requests that wait for a task for which another waits already', async () => {
  const other = await startApi({ RATE_LIMIT_KEY: 'off', RATE_LIMIT_IP: 'off' });
  const account = await other.account();
  const [task, next] = [
    await finishTask(other, account, { settle: false }),
    await finishTask(other, account, { settle: false }),
  ];
  const leaving = new AbortController();
  const follow = (one: TaskRow) => openEvents(other, account, one, leaving.signal);
  const streams = await Promise.all(Array.from({ length: 101 }, () => follow(task)));
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
  const refused = await follow(task);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  const waited = await other.call(`/v1/tasks/${task.id}?wait=55`, { as: account });
  expect([waited.status, waited.text.includes('"status":"pending"')]).toEqual([200, true]);
  expect((await follow(next)).status).toBe(200);
  leaving.abort();
  await eventually(async () =>
    expect((await other.call(`/v1/tasks/${task.id}/events`, { as: account, method: 'HEAD' })).status).toBe(
      200,
    ),
  );
  await other.stop();
});

test('a stop answers everyone who waits at once, as if there had been no waiting', async () => {
  const other = await startApi();
  const account = await other.account();
  const task = await finishTask(other, account, { settle: false });
  const path = `/v1/tasks/${task.id}`;
  const plain = await other.call(path, { as: account });
  const waiting = Array.from({ length: 50 }, () => other.call(`${path}?wait=55`, { as: account }));
  const following = await openEvents(other, account, task);
  const submitting = other.call('/v1/generate', { as: account, body: BODY, headers: { prefer: 'wait=55' } });
  await eventually(async () => {
    const { rows } = await other.test.pool.query('SELECT count(*)::int AS n FROM tasks');
    expect(rows[0].n).toBe(2);
  });
  const startedAt = performance.now();
  await other.shutdown.run('test');
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  const answers = await Promise.all(waiting);
  const refused = answers.filter(({ status }) => status === 503);
  expect(answers.filter(({ text }) => text === plain.text).length + refused.length).toBe(50);
  expect(refused.length).toBeLessThan(50);
  expect((await following.text()).match(/^event: status$/gm)).toHaveLength(1);
  expect((await submitting).status).toBe(202);
  await other.stop();
});
