import type { Database } from '@image-gateway/shared/db';
import { LOWEST_PRIORITY, type Producer } from '@image-gateway/shared/queues';
import { expect, test } from '@jest/globals';
import { renewHints } from './renew-hints.js';

test('hints at overdue tasks come after all others: they must not stand before the first task of another account', async () => {
  const sent: unknown[] = [];
  const add: Producer['add'] = async (_name, payloads, options) => {
    sent.push(payloads, options);
    return 'queued';
  };
  const rows = ['a', 'b'].map((id) => ({ id: `gen_${id}`, attempt: 1, requestId: 'req', overdueMs: 2_000 }));
  const db: Pick<Database, 'run'> = { run: async <Row>() => rows as Row[] };
  const metrics = { sweeps: { inc: () => undefined }, oldestDueSeconds: { set: () => undefined } };
  await renewHints({
    db,
    producer: { add },
    metrics: metrics as never,
    overdueMs: 1_000,
    sweepMs: 1_000,
    queueIsReady: () => true,
  });
  expect(sent).toEqual([
    [
      { taskId: 'gen_a', attempt: 1, traceId: 'req' },
      { taskId: 'gen_b', attempt: 1, traceId: 'req' },
    ],
    { turns: [LOWEST_PRIORITY, LOWEST_PRIORITY] },
  ]);
});
