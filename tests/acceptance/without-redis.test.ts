import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectError } from './support/expect-error.js';
import { freePort } from './support/product/ports.js';
import { type OwnProduct, startProduct } from './support/product/product.js';
import { fastSettings } from './support/product/settings.js';
import { type Customer, openScene, type Scene } from './support/scene.js';
import { type Receiver, startReceiver } from './support/servers/receiver.js';

let product: OwnProduct;
let scene: Scene;
let customer: Customer;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver(await freePort());
  const settings = {
    ...fastSettings,
    REDIS_URL: `redis://127.0.0.1:${await freePort()}`, // nobody listens there
    RATE_LIMIT_KEY: '60/3600',
    RATE_LIMIT_IP: '1000/60',
    NODE_ENV: 'test',
    OUTBOUND_ALLOW: `127.0.0.1:${receiver.port}`,
  };
  product = await startProduct({ settings });
  scene = await openScene(product);
  customer = await scene.customer();
}, 700_000);
afterAll(async () => {
  try {
    await scene.audit();
  } finally {
    await product.discard();
    await receiver.close();
  }
});

describe('without Redis from the start', () => {
  test('the gateway is ready and says that Redis is degraded', async () => {
    const answer = await fetch(`${product.url}/readyz`);
    expect(answer.status).toBe(200);
    expect(JSON.stringify(await answer.json())).toMatch(/"redis":\s*("degraded"|\{[^}]*degraded)/);
  });

  test('twenty submissions are accepted within 2 s each, complete, and every webhook arrives', async () => {
    const submit = async (index: number) => {
      const begun = Date.now();
      const webhook_url = receiver.url(`/${index}`);
      const answer = await customer.client.generate({ prompt: 'sandbox:fixed', webhook_url });
      expect([answer.status, Date.now() - begun < 2_000]).toEqual([202, true]);
      return answer.data.id;
    };
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => submit(index)));
    const arrived = await Promise.all(ids.map((_, index) => receiver.arrived(`/${index}`, 1, 30_000)));
    expect(
      arrived.map(([first]) => (JSON.parse(String(first?.raw)) as { data: { id: string } }).data.id),
    ).toEqual(ids);
    const { items } = await customer.client.tasks('?status=completed&per_page=100');
    expect(items.map(({ id }) => id).sort()).toEqual([...ids].sort());
  });

  test('limits are kept in memory, with the same headers', async () => {
    const other = await scene.customer();
    const ask = () => other.client.call('GET', '/v1/tasks');
    const answers = await Promise.all(Array.from({ length: 70 }, ask));
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(10);
    for (const answer of limited) {
      expectError(answer, 429, 'RATE_LIMITED');
      expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect(String(answer.headers['ratelimit-policy'])).toContain('"key";q=60;w=3600');
    }
  });

  test('failed log-ins stay limited, and a forged X-Forwarded-For does not help where no proxy is trusted', async () => {
    const attempt = (_: unknown, i: number) =>
      scene.caller('not-a-key', `203.0.113.${i}`).call('GET', '/v1/tasks');
    const answers = await Promise.all(Array.from({ length: 25 }, attempt));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(20);
    for (const answer of answers.filter(({ status }) => status !== 401)) {
      expectError(answer, 429, 'RATE_LIMITED');
    }
  });
});
