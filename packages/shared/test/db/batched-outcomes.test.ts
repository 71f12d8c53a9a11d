import { settleTask } from '@image-gateway/shared/billing';
import { claimDeliveries, type DeliveryEnd, finishDelivery } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { noteStatements } from '../note-statements.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.checkInvariants());
afterAll(() => database.close());

/** Webhooks that are being sent, in the attempt 1. */
async function sending(count: number): Promise<string[]> {
  const account = await createTestAccount(database);
  const deps = { db: database.db, newId, fileUrl: 'http://files' };
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const { id } = await createTestTask(database.db, account, { request: { webhook_url: 'http://a.b/c' } });
    const settled = await settleTask(deps, { taskId: id, attempt: 0, reason: 'none' });
    if (settled.settled && settled.deliveryId !== null) {
      ids.push(settled.deliveryId);
    }
  }
  const claimed = await claimDeliveries(database.db, ids, 30_000);
  return claimed.map(({ id }) => id).sort();
}

test('outcomes of one moment share statements: each is written to its own delivery, and one that was overtaken to none', async () => {
  const ids = await sending(12);
  const { db, statements } = noteStatements(database);
  const chooseEnd = (i: number): DeliveryEnd =>
    i % 3 === 0
      ? { state: 'delivered' }
      : i % 3 === 1
        ? { state: 'failed' }
        : { state: 'pending', delayMs: 1_000 * i };
  const outcomes = ids.map((id, i) => ({
    id,
    attempt: i === 11 ? 2 : 1,
    end: chooseEnd(i),
    status: i % 2 ? 500 + i : null,
    error: i % 3 ? `error ${i}` : null,
  }));
  const saved = await Promise.all(outcomes.map((outcome) => finishDelivery(db, outcome)));
  expect(saved).toEqual(ids.map((_, i) => i !== 11));
  expect(statements).toContain('finish-delivery');
  expect(statements.length).toBeLessThan(6);

  const { rows } = await database.pool.query(
    `SELECT d.state, d.last_status, d.last_error, d.delivered_at IS NOT NULL AS delivered, d.lease_until IS NOT NULL AS leased,
            round(EXTRACT(EPOCH FROM d.next_attempt_at - a.ended_at))::int AS seconds, a.attempt, a.status, a.error
       FROM webhook_deliveries d LEFT JOIN webhook_attempts a ON a.delivery_id = d.id WHERE d.id = ANY($1) ORDER BY d.id`,
    [ids],
  );
  const own = { delivered: false, leased: false, seconds: null, attempt: 1 };
  const expected = outcomes.map(({ end, status, error }) => ({
    ...own,
    state: end.state,
    last_status: status,
    last_error: error,
    status,
    error,
    delivered: end.state === 'delivered',
    seconds: end.state === 'pending' ? end.delayMs / 1_000 : null,
  }));
  const none = { last_status: null, last_error: null, attempt: null, status: null, error: null };
  expected[11] = { ...own, ...none, state: 'sending', leased: true } as never;
  expect(rows).toEqual(expected);
});
