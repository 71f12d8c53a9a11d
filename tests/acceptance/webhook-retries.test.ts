import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { expectError } from './support/expect-error.js';
import { mustGateway } from './support/product/gateway.js';
import { allowedPort } from './support/product/shared-product.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';
import { type Receiver, startReceiver } from './support/servers/receiver.js';
import type { Task } from './support/servers/wire.js';
import { expectSigned } from './support/verify-webhook.js';

interface DeliveryState {
  id: string;
  state: 'pending' | 'sending' | 'delivered' | 'failed';
  attempt: number;
  last_status: number | null;
  next_attempt_at: string | null;
}

let scene: Scene;
let customer: Customer;
let receiver: Receiver;
let canary: Receiver;
let dead: Receiver;

beforeAll(async () => {
  scene = await openSharedScene();
  receiver = await startReceiver(await allowedPort());
  dead = await startReceiver(await allowedPort());
  canary = await startReceiver(); // on a port that the gateway may not call
  customer = await scene.customer();
}, 700_000);
afterAll(async () => {
  await scene.audit();
  await Promise.all([receiver.close(), canary.close(), dead.close()]);
});

const submit = async (webhook_url: string) =>
  (await customer.client.generate({ prompt: 'sandbox:fixed', webhook_url })).data;

async function waitForEnd(task: Task, state: string, withinMs = 15_000): Promise<DeliveryState> {
  await customer.client.finished(task.id);
  return eventually(
    async () => {
      const [one] = await mustGateway<DeliveryState[]>(scene.product, 'webhook', 'list', '--task', task.id);
      if (one?.state !== state) {
        throw new Error(`the delivery is ${JSON.stringify(one)}, not ${state}`);
      }
      return one;
    },
    { withinMs, everyMs: 500 },
  );
}

describe('a delivery that is not answered with 2xx', () => {
  test('a delivery that is not answered with 2xx is repeated with the same id and body and a fresh time and signature, until 2xx', async () => {
    receiver.answer('/500-500-200', 500, 500, 200);
    const task = await submit(receiver.url('/500-500-200'));
    const calls = await receiver.arrived('/500-500-200', 3);
    const events = calls.map((call) => expectSigned(call, customer.webhookSecret));
    expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(calls.map(({ raw }) => raw.toString())).size).toBe(1);
    const times = calls.map(({ headers }) => Number(headers['webhook-timestamp']));
    // Whole seconds: a delivery and the next one, 0.8 s later at the earliest, can fall into the same.
    expect(times[2]).toBeGreaterThan(times[0] ?? 0);
    expect([...times].sort()).toEqual(times);
    expect(events[0]?.data.id).toBe(task.id);
    expect(await waitForEnd(task, 'delivered')).toMatchObject({
      id: calls[0]?.headers['webhook-id'],
      last_status: 200,
    });
    expect(receiver.deliveries('/500-500-200')).toHaveLength(3);
  });

  test('a delivery that is not answered with 2xx keeps to the schedule: 1, 1, 2 s ±20 %, started at most 2 s late, then given up', async () => {
    receiver.answer('/never', 503);
    const task = await submit(receiver.url('/never'));
    const calls = await receiver.arrived('/never', 4, 20_000);
    const gaps = calls.slice(1).map(({ at }, i) => (at - (calls[i]?.at ?? 0)) / 1_000);
    for (const [i, wanted] of [1, 1, 2].entries()) {
      expect(gaps[i]).toBeGreaterThan(wanted * 0.8 - 0.05);
      expect(gaps[i]).toBeLessThan(wanted * 1.2 + 2.3);
    }
    expect(await waitForEnd(task, 'failed')).toMatchObject({ last_status: 503 });
    expect(receiver.deliveries('/never')).toHaveLength(4);
    expect(await customer.client.task(task.id)).toMatchObject({ status: 'completed', cost: '$0.0100' });
  });

  test('a delivery that is not answered with 2xx by 410 is never repeated', async () => {
    receiver.answer('/gone', 410);
    expect(await waitForEnd(await submit(receiver.url('/gone')), 'failed')).toMatchObject({
      last_status: 410,
    });
    expect(receiver.deliveries('/gone')).toHaveLength(1);
  });

  test('a delivery that is not answered with 2xx by a redirect is a failure, and the redirect is not followed', async () => {
    receiver.answer('/moved', { status: 302, headers: { location: canary.url('/') } }, 200);
    receiver.answer('/moved-here', { status: 307, headers: { location: receiver.url('/target') } }, 200);
    await Promise.all([submit(receiver.url('/moved')), submit(receiver.url('/moved-here'))]);
    await Promise.all([receiver.arrived('/moved', 2), receiver.arrived('/moved-here', 2)]);
    expect([canary.connections(), receiver.deliveries('/target').length]).toEqual([0, 0]);
  });

  test('a delivery that is not answered with 2xx waits as long as Retry-After says', async () => {
    receiver.answer('/later', { status: 429, headers: { 'retry-after': '4' } }, 200);
    await submit(receiver.url('/later'));
    const calls = await receiver.arrived('/later', 2, 20_000);
    const waited = (calls[1]?.at ?? 0) - (calls[0]?.at ?? 0);
    expect(waited).toBeGreaterThanOrEqual(3_900);
    expect(waited).toBeLessThan(8_000);
  });

  test('a delivery that is not answered with 2xx but not at all is given up after the deadline and repeated', async () => {
    receiver.answer('/silent', 'hang', 200);
    const task = await submit(receiver.url('/silent'));
    await receiver.arrived('/silent', 2, 20_000);
    expect((await waitForEnd(task, 'delivered')).last_status).toBe(200);
  });
});

describe('a receiver', () => {
  test('a receiver that is dead delays nobody else', async () => {
    dead.answer('/hang', 'hang');
    const stuck = await Promise.all(Array.from({ length: 40 }, () => submit(dead.url('/hang'))));
    await dead.arrived('/hang', 1);
    const healthy = await Promise.all(
      Array.from({ length: 10 }, (_, i) => submit(receiver.url(`/healthy/${i}`))),
    );
    const ends = await Promise.all(healthy.map(({ id }) => customer.client.finished(id)));
    const calls = await Promise.all(healthy.map((_, i) => receiver.arrived(`/healthy/${i}`)));
    const delays = calls.map(([call], i) => (call?.at ?? 0) - Date.parse(ends[i]?.completed_at ?? ''));
    expect(Math.max(...delays)).toBeLessThan(2_000);
    await Promise.all(stuck.map(({ id }) => customer.client.finished(id)));
  });

  test('on this machine that OUTBOUND_ALLOW does not list is refused at submit by its name too, and sees no connection', async () => {
    const webhook_url = `http://localhost:${canary.port}/private`;
    const answer = await customer.client.generate({ prompt: 'sandbox:fixed', webhook_url });
    const message = expectError(answer, 400, 'VALIDATION_ERROR');
    expect(message).toContain('OUTBOUND_ALLOW');
    expect(canary.connections()).toBe(0);
  });

  test('a receiver that cannot be reached makes the delivery fail, not the task', async () => {
    const closed = await startReceiver(await allowedPort());
    await closed.close();
    const task = await submit(closed.url('/'));
    await waitForEnd(task, 'failed', 25_000);
    expect((await customer.client.task(task.id)).status).toBe('completed');
  });
});
