import { setTimeout as delay } from 'node:timers/promises';
import { eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { finishTask } from './support/finish-task.js';
import { type Answer, startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let reader: TestAccount;
let other: TestAccount;
let holder: pg.PoolClient;

beforeAll(async () => {
  api = await startApi({ RATE_LIMIT_KEY: 'off', RATE_LIMIT_IP: 'off' });
  [reader, other] = [await api.account(), await api.account()];
  for (const account of [reader, other]) {
    await finishTask(api, account);
  }
  holder = await api.test.pool.connect();
});
afterEach(() => holder.query('ROLLBACK'));
afterAll(async () => {
  holder.release();
  await api.test.checkInvariants();
  await api.stop();
});

/** Holds tables that reads need and submits do not: reads take as long as they may. */
const hold = (tables: string) => holder.query(`BEGIN; LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
const read = (path: string, as: TestAccount): Promise<Answer> => api.call(path, { as });
/** Statements that wait for a lock, by name of their connection, without those that look for due work every few seconds. */
const waiting = async (): Promise<Record<string, number>> => {
  const { rows } = await api.test.pool.query<{ name: string; count: number }>(
    `SELECT split_part(application_name, '/', 1) AS name, count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query NOT LIKE '%oldestSeconds%' GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
};

const LISTS: readonly (readonly [path: string, table: string])[] = [
  ['/v1/tasks?page=10000', 'task_outputs'],
  ['/v1/tasks', 'tasks'],
  ['/v1/usage?page=3', 'usage_records'],
  ['/v1/usage/summary', 'usage_counts'],
];
const countStatuses = (answers: readonly Answer[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status } of answers) {
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
};

describe('many reads', () => {
  test.each([
    ['equal', (_: number) => '/v1/usage'],
    ['different', (i: number) => `/v1/usage?page=${i + 1}`],
  ])('%s ones of one account are all answered, however long the first ones take', async (_what, path) => {
    await hold('usage_records');
    const reads = Array.from({ length: 200 }, (_, i) => read(path(i), reader));
    await eventually(async () => expect(await waiting()).not.toEqual({}));
    await delay(700);
    await holder.query('ROLLBACK');
    const all = await Promise.all(reads);
    expect(countStatuses(all)).toEqual({ 200: 200 });
    expect(new Set(all.map(({ json }) => json.data.pagination.total))).toEqual(new Set([1]));
  });

  test('those over a thousand that wait are 429 with Retry-After; the others are answered, and other accounts meanwhile', async () => {
    await read('/v1/tasks', other);
    await hold('usage_records');
    let refused = 0;
    const all = Array.from({ length: 1_012 }, async (_, i) => {
      const answer = await read(`/v1/usage?page=${i + 1}`, reader);
      refused += answer.status === 429 ? 1 : 0;
      return answer;
    });
    // Two run and a thousand wait. On a busy machine some end by their time before the last ones come, which makes room for these.
    await eventually(() => expect(refused).toBeGreaterThan(0));
    expect((await read('/v1/tasks', other)).status).toBe(200);
    await holder.query('ROLLBACK');
    const answers = await Promise.all(all);
    const over = answers.filter(({ status }) => status === 429);
    expect(over.length).toBeLessThanOrEqual(10);
    expect(over.map(({ json, headers }) => [json.error.code, headers.get('retry-after')])).toEqual(
      Array(over.length).fill(['RATE_LIMITED', '1']),
    );
    // Those that had begun may have met the end of their time, and on a busy machine others that waited 10 s.
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(over.length);
  });
});

describe('reads that are held up', () => {
  test.each(LISTS)('GET %s is answered as soon as nothing holds it up', async (path, table) => {
    await hold(table);
    const answer = read(path, reader);
    await eventually(async () => expect(await waiting()).toEqual({ 'image-gateway-api-reads': 1 }));
    await holder.query('ROLLBACK');
    expect((await answer).status).toBe(200);
  });

  test('are 503 with Retry-After after their time, without advice that would not help', async () => {
    await hold('tasks, usage_records, usage_counts');
    const paths = LISTS.map(([path]) => path);
    const answers = await Promise.all(paths.map((path, i) => read(path, i % 2 ? reader : other)));
    for (const { status, json, headers } of answers) {
      expect([status, headers.get('retry-after'), json.error]).toEqual([
        503,
        '1',
        {
          code: 'SERVICE_UNAVAILABLE',
          message: 'This could not be read in time. Try again in a moment.',
        },
      ]);
    }
  });

  test('take no connection from submits and polls', async () => {
    await read('/v1/tasks/gen_unknown', other);
    await hold('usage_records');
    const readers = Array.from({ length: 40 }, (_, i) =>
      read(`/v1/usage?page=${i + 1}`, i % 2 ? reader : other),
    );
    await eventually(async () => expect(await waiting()).toEqual({ 'image-gateway-api-reads': 3 }));
    for (let i = 0; i < 8; i++) {
      const body = { model: 'nanobanana', prompt: 'a fox' };
      expect((await api.call('/v1/generate', { as: other, body })).status).toBe(202);
      expect((await read('/v1/tasks/gen_unknown', other)).status).toBe(404);
      expect(Object.keys(await waiting()).filter((name) => name === 'image-gateway-api')).toEqual([]);
    }
    await holder.query('ROLLBACK');
    expect(countStatuses(await Promise.all(readers))).toEqual({ 200: 40 });
  });

  test('of one account leave connections to the reads of others', async () => {
    await read('/v1/tasks', other);
    await hold('usage_records');
    const readers = Array.from({ length: 20 }, (_, i) => read(`/v1/usage?page=${i + 1}`, reader));
    await eventually(async () => expect(await waiting()).toEqual({ 'image-gateway-api-reads': 2 }));
    for (let i = 0; i < 5; i++) {
      expect((await read('/v1/tasks', other)).status).toBe(200);
      expect(await waiting()).toEqual({ 'image-gateway-api-reads': 2 });
    }
    await holder.query('ROLLBACK');
    expect(countStatuses(await Promise.all(readers))).toEqual({ 200: 20 });
  });
});
