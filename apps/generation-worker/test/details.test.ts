import { eventually } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';
import { deliver, gate, routerOver, type Script, scriptedProvider } from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();
const A_SECOND = String(1 / 86_400);
const count = async (table: string, column: string, id: string): Promise<number> =>
  Number((await world.sql(`SELECT count(*)::int AS n FROM ${table} WHERE ${column} = $1`, [id]))[0]?.n);

test('calls and webhook attempts of finished work are deleted after the retention, in steps; what is pending keeps its own, and what a task cost stays', async () => {
  const held = gate();
  const script: Script = async function* (request) {
    if (request.prompt === 'held') {
      await held.passed;
    }
    yield* deliver(request);
  };
  const first = world.start(routerOver(scriptedProvider(script)));
  const webhook_url = 'http://receiver.test/hook';
  const [done, alsoDone] = [await world.submit({ webhook_url }), await world.submit({ webhook_url })];
  const before = await world.ended(done);
  await world.ended(alsoDone);
  const open = await world.submit({ prompt: 'held' });
  await eventually(async () => expect(await world.calls(open)).toHaveLength(1));
  const findDelivery = async (id: string): Promise<string> =>
    String((await world.sql('SELECT id FROM webhook_deliveries WHERE task_id = $1', [id]))[0]?.id);
  const [ended, pending] = [await findDelivery(done), await findDelivery(alsoDone)];
  await world.sql(
    `UPDATE webhook_deliveries SET state = 'delivered', attempt = 1200, next_attempt_at = NULL, delivered_at = now() WHERE id = $1`,
    [ended],
  );
  for (const id of [ended, pending]) {
    await world.sql(
      `INSERT INTO webhook_attempts (delivery_id, attempt, status, ended_at)
       SELECT $1, n, 500, now() - interval '1 hour' FROM generate_series(1, 1200) n`,
      [id],
    );
  }
  // One worker a minute has the turn; the first one used it when nothing was old.
  await eventually(async () => expect(await count('sweep_turns', 'name', 'delete-old-details')).toBe(1));
  expect(await count('provider_calls', 'task_id', done)).toBe(1);
  await world.sql(`DELETE FROM sweep_turns WHERE name = 'delete-old-details'`);
  const second = world.start(routerOver(scriptedProvider(script)), {
    settings: { DETAIL_RETENTION_DAYS: A_SECOND },
  });

  await eventually(
    async () => {
      await world.sql(`DELETE FROM sweep_turns WHERE name = 'delete-old-details'`);
      expect(await count('provider_calls', 'task_id', done)).toBe(0);
      expect(await count('webhook_attempts', 'delivery_id', ended)).toBe(0);
    },
    { timeoutMs: 15_000, everyMs: 200 },
  );
  expect(await count('webhook_attempts', 'delivery_id', pending)).toBe(1_200);
  expect(await count('provider_calls', 'task_id', open)).toBe(1);
  expect(await world.task(done)).toEqual(before);
  held.open();
  await world.ended(open);
  await Promise.all([first.stop(), second.stop()]);
});
