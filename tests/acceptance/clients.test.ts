import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { Webhook } from 'standardwebhooks';
import { newKey } from './support/product/accounts.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';
import { type Fault, type FaultyProxy, startFaultyProxy } from './support/servers/faulty-proxy.js';
import {
  type ClientName,
  type Driver,
  type Outcome,
  preparePython,
  startDriver,
} from './support/start-driver.js';

/** Broken connections of each client in the last test; `.ci/long` wants more. */
const BREAKS = Number(process.env.CLIENT_BREAKS ?? 12);
const MODEL = 'nanobanana';
const ORDER = { model: MODEL, prompt: 'sandbox:fixed' };

interface Task {
  readonly id: string;
  readonly status: string;
  readonly cost: string;
}
interface Subscribed {
  readonly task: Task;
  readonly images: readonly string[];
}
interface Uploaded {
  readonly copy: { readonly id: string };
  readonly uploaded: { readonly id: string; readonly url: string };
  readonly sha256: string;
}
/** One client behind a proxy, with an account of its own. */
interface Stage {
  readonly client: ClientName;
  readonly customer: Customer;
  readonly driver: Driver;
  readonly proxy: FaultyProxy;
}

const hasPython = await preparePython();
const CLIENTS: readonly ClientName[] = hasPython ? ['TypeScript', 'Python', 'Python async'] : ['TypeScript'];
let scene: Scene;
let stages: readonly Stage[] = [];
let folder: string;
let imageFile: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'image-gateway-clients-'));
  imageFile = path.join(folder, 'picture.png');
  await sharp({ create: { width: 64, height: 48, channels: 3, background: '#804020' } })
    .png()
    .toFile(imageFile);
  scene = await openSharedScene();
  const openStage = async (client: ClientName): Promise<Stage> => {
    const customer = await scene.customer();
    const { key } = await newKey(scene.product, customer.id, '--scopes', 'generate,read,delete');
    const proxy = await startFaultyProxy(scene.product.url);
    return { client, customer, proxy, driver: startDriver(client, { url: proxy.url, key }) };
  };
  stages = await Promise.all(CLIENTS.map(openStage));
}, 700_000);
afterAll(async () => {
  await rm(folder, { recursive: true });
  for (const { driver, proxy } of stages) {
    await driver.close();
    await proxy.close();
  }
  await scene.audit();
});

/** The value of an outcome; throws what the client threw. */
function unwrapValue<T>({ value, error }: Outcome): T {
  if (error) {
    throw new Error(JSON.stringify(error));
  }
  return value as T;
}
const count = async ({ customer }: Stage): Promise<{ tasks: number; images: number }> => {
  const [entry] = await customer.client.summary();
  return { tasks: (await customer.client.tasks()).pagination.total, images: entry?.total_units ?? 0 };
};
/** Expects that the client holds exactly the images of its task, as the gateway stored them. */
async function expectImages({ customer }: Stage, { task, images }: Subscribed, asked: number): Promise<void> {
  const { data } = await customer.client.call<{ images: { sha256: string }[] }>(
    'GET',
    `/v1/tasks/${task.id}?view=full`,
  );
  expect(images).toHaveLength(asked);
  expect([...images].sort()).toEqual(data.images.map(({ sha256 }) => sha256).sort());
}

/** Orders of two images over broken connections: each is one task, charged once, whose images the client holds. */
const ORDERS: readonly (readonly [name: string, faults: readonly (Fault | null)[]])[] = [
  ['the answer to the submit is lost', ['lost']],
  ['the submit is refused, lost and cut', ['reset', 'lost', 'cut']],
  ['the gateway is busy, away, and behind a proxy that says so', [429, 503, 'bad-gateway']],
  ['the waits are lost, cut and refused', [null, 'lost', 'cut', 'reset', 429]],
  ['the images are cut, lost and refused', [null, null, 'cut', 'lost', 'reset', 'cut']],
];

/** Tests something with all clients at once: they mostly wait. */
function everywhere(name: string, run: (stage: Stage) => Promise<void>, timeoutMs = 60_000): void {
  const runHere = async (stage: Stage): Promise<void> => {
    try {
      await run(stage);
    } catch (error) {
      throw new Error(`${stage.client}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  };
  test(
    name,
    async () => {
      await Promise.all(stages.map(runHere));
    },
    timeoutMs,
  );
}

(hasPython ? test : test.skip)('the Python clients are tested: Python 3 and PyPI are within reach', () => {
  expect(stages.map(({ client }) => client)).toEqual(['TypeScript', 'Python', 'Python async']);
});

describe('a client', () => {
  everywhere('buys once and holds the images whatever happens to its connections', async (stage) => {
    const { driver, proxy } = stage;
    for (const [name, faults] of ORDERS) {
      const before = await count(stage);
      proxy.takeFaults();
      proxy.plan(faults);
      const request = { ...ORDER, num_outputs: 2 };
      const done = unwrapValue<Subscribed>(await driver.call('subscribe', { request }));
      await expectImages(stage, done, 2);
      const met = faults.filter((fault) => fault !== null).length;
      const after = await count(stage);
      expect([name, proxy.takeFaults(), after.tasks - before.tasks, after.images - before.images]).toEqual([
        name,
        met,
        1,
        2,
      ]);
    }
  });

  everywhere(
    'after its deadline names the key with which the order goes on, and buys nothing twice',
    async (stage) => {
      const { driver, proxy } = stage;
      const before = await count(stage);
      proxy.choose(() => 'lost');
      const options = { submit_timeout: 0.6 };
      const { error } = await driver.call('submit', { request: ORDER, options });
      proxy.choose(() => null);
      expect(error).toMatchObject({
        name: 'DeadlineError',
        idempotency_key: expect.stringMatching(/^\w{32}$/),
      });
      const key = error?.idempotency_key;
      const done = unwrapValue<Subscribed>(await driver.call('subscribe', { request: ORDER, key }));
      await expectImages(stage, done, 1);
      const task = unwrapValue<Task>(await driver.call('submit', { request: ORDER, key }));
      expect(task.id).toBe(done.task.id);
      const after = await count(stage);
      expect([after.tasks - before.tasks, after.images - before.images]).toEqual([1, 1]);
    },
  );

  everywhere('waits until its deadline only, and names the task that is still under way', async (stage) => {
    const { driver } = stage;
    const request = { model: MODEL, prompt: 'sandbox:fixed sandbox:delay=8000' };
    const { error } = await driver.call('subscribe', { request, timeout: 4 });
    expect(error).toMatchObject({ name: 'DeadlineError', task: { status: 'pending' } });
    const ended = unwrapValue<Task>(await driver.call('wait', { id: error?.task?.id }));
    expect(ended).toMatchObject({ id: error?.task?.id, status: 'completed' });
  });

  everywhere('repeats no refusal, and its errors carry code, status, request id and task', async (stage) => {
    const { driver, proxy } = stage;
    proxy.takeFaults();
    const refused = await driver.call('submit', { request: { model: 'nothing', prompt: 'x' } });
    expect(refused.error).toMatchObject({
      name: 'ApiError',
      code: 'VALIDATION_ERROR',
      status: 400,
      request_id: expect.stringMatching(/./),
    });
    const unknown = await driver.call('get', { id: 'gen_unknown' });
    expect(unknown.error).toMatchObject({ name: 'ApiError', code: 'NOT_FOUND', status: 404 });
    const request = { model: MODEL, prompt: 'sandbox:fail=moderation' };
    const failed = await driver.call('subscribe', { request });
    expect(failed.error).toMatchObject({
      name: 'TaskFailedError',
      task: { status: 'failed', cost: '$0.00' },
      request_id: expect.stringMatching(/./),
      message: expect.stringMatching(/moderation/),
    });
    const waited = unwrapValue<Task>(await driver.call('wait', { id: failed.error?.task?.id }));
    expect(waited.status).toBe('failed');
  });

  everywhere('says what a request needs that is refused for money', async ({ client, customer, proxy }) => {
    const { key } = await newKey(scene.product, customer.id, '--scopes', 'generate', '--cap-day', '0.005');
    const capped = startDriver(client, { url: proxy.url, key });
    const { error } = await capped.call('submit', { request: ORDER });
    await capped.close();
    expect(error).toMatchObject({
      name: 'ApiError',
      code: 'INSUFFICIENT_BALANCE',
      details: { needed: '$0.0100', limit: '$0.0050', used: '$0.00' },
    });
  });

  everywhere('follows, cancels and deletes a task over broken connections', async (stage) => {
    const { driver, proxy } = stage;
    const request = { model: MODEL, prompt: 'sandbox:fixed sandbox:delay=4000' };
    const { id } = unwrapValue<Task>(await driver.call('submit', { request }));
    proxy.plan(['reset', null, 'reset', 'reset']);
    const seen = unwrapValue<Task[]>(await driver.call('events', { id }));
    expect([seen[0]?.status, seen.at(-1)?.status]).toEqual(['pending', 'completed']);
    expect(seen.length).toBeLessThan(4);
    proxy.plan(['lost']);
    expect(unwrapValue<Task>(await driver.call('cancel', { id })).status).toBe('completed');
    expect(unwrapValue(await driver.call('get', { id, view: 'full' }))).toMatchObject({
      asked: 1,
      prompt: request.prompt,
    });
    // The lost answer was a deletion; the repetition finds nothing, which is what was asked for.
    proxy.plan(['lost']);
    expect(await driver.call('delete', { id })).toEqual({ value: null });
    expect((await driver.call('delete', { id })).error).toMatchObject({ code: 'NOT_FOUND' });
  });

  everywhere('iterates over pages without missing or doubling what was there', async (stage) => {
    const { driver, customer, proxy } = stage;
    const { items } = await customer.client.tasks('?per_page=100');
    proxy.plan(['cut', 429]);
    const listed = driver.call('list', { filters: { per_page: 2 } });
    await customer.client.generate({ prompt: 'sandbox:fixed' });
    const ids = unwrapValue<string[]>(await listed);
    const known = items.map((task) => task.id);
    expect(ids.filter((id) => known.includes(id))).toEqual(known);
    expect(new Set(ids).size).toBe(ids.length);
    const usage = unwrapValue<string[]>(await driver.call('usage', { filters: { per_page: 3 } }));
    const records = await customer.client.usage('?per_page=100');
    expect(usage.length).toBeGreaterThanOrEqual(records.pagination.total - 1);
  });

  everywhere('reads prices, models, sums and the account as objects without the envelope', async (stage) => {
    const { driver } = stage;
    const quote = unwrapValue(await driver.call('quote', { request: { ...ORDER, num_outputs: 3 } }));
    expect(quote).toMatchObject({ units: 3, cost: '$0.0300', affordable: true });
    const [model] = unwrapValue<object[]>(await driver.call('models'));
    expect(model).toMatchObject({ id: MODEL, price: { '1k': '$0.0100' }, accepts: { mask: true } });
    const [entry] = unwrapValue<object[]>(await driver.call('summary'));
    expect(entry).toMatchObject({ model: MODEL, total_units: expect.any(Number) });
    const account = unwrapValue(await driver.call('account'));
    expect(account).toMatchObject({
      id: stage.customer.id,
      key: { scopes: expect.arrayContaining(['generate']) },
    });
  });

  everywhere('uploads an image from disk over broken connections, edits it and removes it', async (stage) => {
    const { driver, proxy } = stage;
    proxy.plan(['reset', 'lost', null, 503, null, 'cut']);
    const { uploaded, copy, sha256 } = unwrapValue<Uploaded>(
      await driver.call('upload', { file: imageFile }),
    );
    expect(uploaded).toMatchObject({ content_type: 'image/png', width: 64, height: 48, sha256 });
    expect(await driver.call('listFiles')).toEqual({ value: [copy.id] });
    const request = { ...ORDER, image_urls: [uploaded.url, uploaded.id] };
    const edited = unwrapValue<Subscribed>(await driver.call('subscribe', { request }));
    expect(edited.task).toMatchObject({ type: 'image_edit', status: 'completed' });
    await expectImages(stage, edited, 1);
    proxy.plan(['lost']);
    expect(await driver.call('deleteFile', { id: uploaded.url })).toEqual({ value: null });
    expect((await driver.call('submit', { request })).error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/image_urls\[0\]/),
    });
  });

  everywhere('sends metadata, and finds tasks, usage and sums by it', async ({ driver }) => {
    const metadata = { user: 'ünï 42' };
    const request = { ...ORDER, metadata };
    const { task } = unwrapValue<Subscribed>(await driver.call('subscribe', { request }));
    expect(task).toMatchObject({ metadata });
    expect(unwrapValue(await driver.call('list', { filters: { metadata } }))).toEqual([task.id]);
    expect(unwrapValue(await driver.call('list', { filters: { metadata: { user: 'x' } } }))).toEqual([]);
    expect(unwrapValue(await driver.call('usage', { filters: { metadata } }))).toEqual([task.cost]);
  });

  everywhere('takes a webhook that its secret signed, and no other', async (stage) => {
    const { driver } = stage;
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const task = { id: 'gen_x', status: 'failed', error: 'ümlaut', cost: '$0.00' };
    const body = JSON.stringify({ type: 'task.failed', timestamp: '2026-01-31T12:00:00.000Z', data: task });
    const now = new Date();
    const headers = {
      'Webhook-Id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': `v1,AAAA ${new Webhook(secret).sign('msg_1', now, body)}`,
    };
    const event = unwrapValue(await driver.call('unwrap', { body, headers, secret }));
    expect(event).toMatchObject({ type: 'task.failed', data: task });
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    const old = { ...headers, 'webhook-timestamp': String(Math.floor(now.getTime() / 1_000) - 301) };
    for (const args of [
      { body, headers, secret: other },
      { body: body.replace('gen_x', 'gen_y'), headers, secret },
      { body, headers: old, secret },
      { body, headers: {}, secret },
    ]) {
      expect((await driver.call('unwrap', args)).error).toMatchObject({ name: 'WebhookError' });
    }
  });

  everywhere(
    `holds every image of a storm of ${BREAKS} broken connections, each charged once`,
    async (stage) => {
      const { driver, proxy } = stage;
      const before = await count(stage);
      const faults = ['reset', 'lost', 'cut'] as const;
      let calls = 0;
      proxy.takeFaults();
      // Half of all requests break, each way in its turn.
      proxy.choose(() => {
        calls += 1;
        return calls % 2 === 0 ? null : (faults[Math.floor(calls / 2) % 3] ?? null);
      });
      let broken = 0;
      let orders = 0;
      while (broken < BREAKS) {
        const done = await Promise.all(
          Array.from({ length: 4 }, () => driver.call('subscribe', { request: ORDER })),
        );
        for (const outcome of done) {
          await expectImages(stage, unwrapValue<Subscribed>(outcome), 1);
        }
        orders += done.length;
        broken += proxy.takeFaults();
      }
      proxy.choose(() => null);
      const after = await count(stage);
      expect([after.tasks - before.tasks, after.images - before.images]).toEqual([orders, orders]);
    },
    300_000,
  );
});
