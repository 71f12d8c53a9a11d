import {
  createTestAccount,
  createTestDatabase,
  createTestRedis,
  eventually,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type DeliveryRow, deliveryRow } from './support/delivery-row.js';
import { finishTask } from './support/finish-task.js';
import { startWorker, type TestWorker } from './support/start-worker.js';

let database: TestDatabase;
let worker: TestWorker;
/** Response of the name servers for each host, as a c-ares code. */
const codes = new Map<string, string>();

beforeAll(async () => {
  database = await createTestDatabase();
  const resolve = async (hostname: string) => {
    throw Object.assign(new Error('queryA'), { code: codes.get(hostname) });
  };
  const schedule = { WEBHOOK_RETRY_SCHEDULE: Array(9).fill('36000').join() };
  worker = startWorker(database.db, schedule, (await createTestRedis()).url, { searchEveryMs: 50, resolve });
});
afterAll(async () => {
  await worker.stop();
  await database.close();
});

async function begin(host: string, code: string): Promise<string> {
  codes.set(host, code);
  const account = await createTestAccount(database);
  const { deliveryId } = await finishTask(database, account, `http://${host}/`);
  return deliveryId;
}
const attempted = (id: string, attempt: number): Promise<DeliveryRow> =>
  eventually(async () => {
    const row = await deliveryRow(database, id);
    expect([row.attempt, row.state === 'sending']).toEqual([attempt, false]);
    return row;
  });
/** Makes the next attempt due and waits for its end. */
async function again(id: string, attempt: number): Promise<DeliveryRow> {
  await database.pool.query('UPDATE webhook_deliveries SET next_attempt_at = now() WHERE id = $1', [id]);
  return attempted(id, attempt);
}
const putBack = (id: string, minutes: number) =>
  database.pool.query(
    'UPDATE webhook_attempts SET ended_at = ended_at - make_interval(mins => $2) WHERE delivery_id = $1',
    [id, minutes],
  );

describe('a webhook whose receiver has a name that does not exist', () => {
  test('a webhook whose receiver has a name that does not exist is given up after four attempts over half an hour, and not before', async () => {
    const id = await begin('gone.example', 'ENOTFOUND');
    await attempted(id, 1);
    await putBack(id, 29);
    for (const attempt of [2, 3, 4]) {
      const row = await again(id, attempt);
      expect([row.state, row.last_error]).toEqual(['pending', 'name not found']);
    }
    await putBack(id, 2);
    expect((await again(id, 5)).state).toBe('failed');
  });

  test('a webhook whose receiver has a name that does not exist is not given up at the third attempt, however long that takes', async () => {
    const id = await begin('slow.example', 'ENOTFOUND');
    await attempted(id, 1);
    await putBack(id, 600);
    expect((await again(id, 2)).state).toBe('pending');
    expect((await again(id, 3)).state).toBe('pending');
    expect((await again(id, 4)).state).toBe('failed');
  });

  test('a webhook whose receiver has a name that does not exist begins to count anew after an attempt that failed for another reason', async () => {
    const id = await begin('back.example', 'ENOTFOUND');
    await attempted(id, 1);
    await putBack(id, 60);
    await again(id, 2);
    await again(id, 3);
    codes.set('back.example', 'ESERVFAIL');
    expect((await again(id, 4)).last_error).toBe('connection failed');
    codes.set('back.example', 'ENOTFOUND');
    expect((await again(id, 5)).state).toBe('pending');
    expect((await again(id, 6)).state).toBe('pending');
  });
});

test.each(['ESERVFAIL', 'ETIMEOUT', 'EREFUSED', 'ENODATA'])(
  'a webhook is not given up while name servers say %s',
  async (code) => {
    const id = await begin(`${code.toLowerCase()}.example`, code);
    await attempted(id, 1);
    await putBack(id, 600);
    for (const attempt of [2, 3, 4, 5]) {
      expect((await again(id, attempt)).state).toBe('pending');
    }
  },
);
