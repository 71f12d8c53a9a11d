import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let account: TestAccount;

beforeAll(async () => {
  api = await startApi();
  account = await api.account();
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

const submit = (key?: string): Promise<Answer> =>
  api.call('/v1/generate', {
    as: account,
    body: { model: 'nanobanana', prompt: 'a fox' },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });
const cutSessions = async (): Promise<number> => {
  const { rowCount } = await api.test.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'image-gateway-api/%' AND state <> 'idle'`,
  );
  return rowCount ?? 0;
};
const expectTurnedAway = ({ status, json, headers }: Answer): void => {
  expect([status, json.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
};

describe('while the database lives, no submission is answered 500', () => {
  test('while the database lives, no submission is answered 500 whose account somebody else holds: 503 with Retry-After', async () => {
    await submit();
    const holder = await api.test.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [account.id]);
    for (const answer of await Promise.all(Array.from({ length: 200 }, () => submit()))) {
      expectTurnedAway(answer);
    }
    await holder.query('ROLLBACK');
    holder.release();
    expect((await submit()).status).toBe(202);
  });

  test('while the database lives, no submission is answered 500 whose sessions are cut again and again: 202, or 503 with Retry-After', async () => {
    const stop = new AbortController();
    let cut = 0;
    const cutting = (async () => {
      while (!stop.signal.aborted) {
        cut += await cutSessions();
      }
    })();
    const answers: Answer[] = [];
    // A key makes every submission ask for itself.
    for (let round = 0; round < 10; round++) {
      answers.push(...(await Promise.all(Array.from({ length: 40 }, (_, i) => submit(`cut-${round}-${i}`)))));
    }
    stop.abort();
    await cutting;
    for (const answer of answers) {
      if (answer.status !== 202) {
        expectTurnedAway(answer);
      }
    }
    expect(cut).toBeGreaterThan(0);
  });

  test('1,000 at once of which the money reaches for ten: 202 at most ten times, else 403, or 503 with Retry-After', async () => {
    account = await api.account({ balanceMicros: 100_000n });
    const answers = await Promise.all(Array.from({ length: 1_000 }, (_, i) => submit(`many-${i}`)));
    expect(answers.filter(({ status }) => status === 202).length).toBeLessThanOrEqual(10);
    expect(answers.filter(({ status }) => status === 403).length).toBeGreaterThan(0);
    for (const answer of answers) {
      if (answer.status !== 202 && answer.status !== 403) {
        expectTurnedAway(answer);
      }
    }
  });
});
