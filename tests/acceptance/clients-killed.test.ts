import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type FaultScene, openFaultScene } from './support/fault-scene.js';
import { isAlive } from './support/product/product.js';
import type { Customer } from './support/scene.js';
import { type ClientName, type Driver, preparePython, startDriver } from './support/start-driver.js';

/** Processes that are killed while the clients order; `.ci/long` wants more. */
const KILLS = Number(process.env.CLIENT_KILLS ?? 2);
const ORDERS = 4;
const hasPython = await preparePython();
const CLIENTS: readonly ClientName[] = hasPython ? ['TypeScript', 'Python', 'Python async'] : ['TypeScript'];

interface Subscribed {
  readonly task: { readonly id: string; readonly status: string };
  readonly images: readonly string[];
}

let scene: FaultScene;
beforeAll(async () => {
  scene = await openFaultScene();
}, 700_000);
afterAll(() => scene.close());

/** Process ids of the API and of both generation workers, in turn. */
function choosePid(kill: number): number {
  const { api, generationWorkers } = scene.product.run();
  const pids = [api.pid, ...generationWorkers.map(({ pid }) => pid)];
  return pids[kill % pids.length] ?? api.pid;
}

test(`${KILLS} kills of the API and of workers cost no client an image, and buy none twice`, async () => {
  const stages = await Promise.all(
    CLIENTS.map(async (client): Promise<{ client: ClientName; customer: Customer; driver: Driver }> => {
      const customer = await scene.customer();
      return { client, customer, driver: startDriver(client, { url: scene.product.url, key: customer.key }) };
    }),
  );
  const ordered = new Map<ClientName, Subscribed[]>(CLIENTS.map((client) => [client, []]));
  const request = { model: 'nanobanana', prompt: 'sandbox:fixed sandbox:delay=700', num_outputs: 2 };
  for (let kill = 0; kill < KILLS; kill += 1) {
    const orders = stages.flatMap(({ client, driver }) =>
      Array.from({ length: ORDERS }, async () => {
        const { value, error } = await driver.call('subscribe', { request });
        expect([client, error]).toEqual([client, undefined]);
        ordered.get(client)?.push(value as Subscribed);
      }),
    );
    const pid = choosePid(kill);
    // Some orders are accepted, some on their way, none is done.
    await eventually(async () => {
      const counts = await Promise.all(stages.map(({ customer }) => customer.client.tasks()));
      expect(Math.max(...counts.map(({ pagination }) => pagination.total))).toBeGreaterThan(kill * ORDERS);
    });
    process.kill(pid, 'SIGKILL');
    await Promise.all(orders);
    await eventually(() => expect(isAlive(choosePid(kill)) && choosePid(kill) !== pid).toBe(true));
  }
  for (const { client, customer, driver } of stages) {
    await driver.close();
    const done = ordered.get(client) ?? [];
    const tasks = await customer.client.tasks();
    const [entry] = await customer.client.summary();
    const images = done.reduce((sum, order) => sum + order.images.length, 0);
    const wanted = KILLS * ORDERS;
    expect([client, done.length, tasks.pagination.total, images, entry?.total_units]).toEqual([
      client,
      wanted,
      wanted,
      wanted * 2,
      wanted * 2,
    ]);
  }
}, 900_000);
