import { findTask } from '@image-gateway/shared/db';
import {
  createTestAccount,
  createTestDatabase,
  createTestRedis,
  eventually,
  startReceiver,
} from '@image-gateway/testing';
import { expect, test } from '@jest/globals';
import { deliveryRow } from './support/delivery-row.js';
import { finishTask } from './support/finish-task.js';
import { startWorker } from './support/start-worker.js';

test('every line about a webhook carries the request id of its task: a retry, a sender that disappeared, the end', async () => {
  const database = await createTestDatabase();
  const receiver = await startReceiver((response, _, count) =>
    response.writeHead(count === 0 ? 500 : 200).end(),
  );
  const { taskId, deliveryId } = await finishTask(database, await createTestAccount(database), receiver.url);
  const row = await findTask(database.db, taskId);
  const settings = { OUTBOUND_ALLOW: receiver.hostPort, WEBHOOK_RETRY_SCHEDULE: '3600' };
  const worker = startWorker(database.db, settings, (await createTestRedis()).url, { searchEveryMs: 50 });
  await eventually(async () => expect((await deliveryRow(database, deliveryId)).last_status).toBe(500));
  await database.pool.query(
    `UPDATE webhook_deliveries SET state = 'sending', next_attempt_at = NULL, lease_until = now() - interval '1 s' WHERE id = $1`,
    [deliveryId],
  );
  await eventually(async () => expect((await deliveryRow(database, deliveryId)).state).toBe('delivered'));
  await worker.stop();

  const about = worker.log
    .map((line) => JSON.parse(line) as { message: string; requestId?: string; taskId?: string })
    .filter((line) => JSON.stringify(line).includes(deliveryId));
  expect(about.map(({ message }) => message)).toEqual([
    'webhook retry',
    'the sender of a webhook disappeared, it is due again',
    'webhook delivered',
  ]);
  for (const line of about) {
    expect(line).toMatchObject({ requestId: row?.requestId, taskId });
  }
  expect(row?.requestId).toMatch(/^req_/);
  await receiver.close();
  await database.close();
});
