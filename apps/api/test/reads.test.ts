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
  api = await startApi();
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
const waiting = async (): Promise<Record<string, number>> => {
  const { rows } = await api.test.pool.query<{ name: string; count: number }>(
    `SELECT application_name AS name, count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
};

describe('reads that take too long', () => {
  test.each([
    ['/v1/tasks?page=10000', 'task_outputs', 'created_after and created_before'],
    ['/v1/tasks', 'task_outputs', 'created_after and created_before'],
    ['/v1/usage?page=3', 'usage_records', 'from and to'],
    ['/v1/usage/summary', 'usage_counts', 'from and to'],
  ])('GET %s is 503 with Retry-After, and names what makes it shorter', async (path, table, advice) => {
    await hold(table);
    const { status, json, headers } = await read(path, reader);
    expect([status, json.error.code, headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '1']);
    expect(json.error.message).toBe(
      `This could not be read in time. Ask for less with ${advice}, or try again in a moment.`,
    );
  });

  test('take no connection from submits and polls', async () => {
    await read('/v1/tasks/gen_unknown', other);
    await hold('usage_records');
    let reading = true;
    const readers = Array.from({ length: 12 }, async (_, i) => {
      while (reading) {
        expect((await read('/v1/usage', i % 2 ? reader : other)).status).toBe(503);
      }
    });
    try {
      await eventually(async () => expect(await waiting()).toEqual({ 'image-gateway-api-reads': 3 }));
      for (let i = 0; i < 8; i++) {
        const body = { model: 'nanobanana', prompt: 'a fox' };
        expect((await api.call('/v1/generate', { as: other, body })).status).toBe(202);
        expect((await read('/v1/tasks/gen_unknown', other)).status).toBe(404);
        expect(Object.keys(await waiting())).not.toContain('image-gateway-api');
      }
    } finally {
      reading = false;
      await Promise.all(readers);
    }
  }, 60_000);

  test('reads that take too long of one account leave connections to the reads of others', async () => {
    await read('/v1/tasks', other);
    await hold('usage_records');
    let reading = true;
    const readers = Array.from({ length: 6 }, async () => {
      while (reading) {
        expect((await read('/v1/usage', reader)).status).toBe(503);
      }
    });
    try {
      await eventually(async () => expect(await waiting()).toEqual({ 'image-gateway-api-reads': 2 }));
      for (let i = 0; i < 5; i++) {
        expect((await read('/v1/tasks', other)).status).toBe(200);
        expect((await waiting())['image-gateway-api-reads'] ?? 0).toBeLessThanOrEqual(2);
      }
    } finally {
      reading = false;
      await Promise.all(readers);
    }
  }, 60_000);

  test('reads that take too long are answered again as soon as nothing holds them up', async () => {
    await hold('task_outputs');
    expect((await read('/v1/tasks', reader)).status).toBe(503);
    await holder.query('ROLLBACK');
    expect((await read('/v1/tasks', reader)).status).toBe(200);
  });
});
