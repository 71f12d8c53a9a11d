import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { expectError } from './support/expect-error.js';
import { freePort } from './support/product/ports.js';
import { type OwnProduct, startProduct } from './support/product/product.js';
import { fastSettings } from './support/product/settings.js';
import { type Customer, openScene, type Scene } from './support/scene.js';
import { type Receiver, startReceiver } from './support/servers/receiver.js';
import { expectSigned } from './support/verify-webhook.js';

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
  product = await startProduct({ settings, args: [] });
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

describe('without Redis, a test event of the dashboard', () => {
  test('without Redis, a test event of the dashboard is signed with the secret of the account, and its outcome is shown within seconds', async () => {
    const { demo } = product.run();
    const { origin } = new URL(product.url);
    let cookie = '';
    const call = async (method: string, path: string, body?: object) => {
      const headers = { origin, cookie, 'content-type': 'application/json' };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const response = await fetch(`${origin}/dashboard/api${path}`, init);
      cookie ||= response.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ');
      const json = (await response.json()) as { data: { id: string; state: string } };
      expect({ status: response.status, json }).toMatchObject({ status: 200, json: { error: null } });
      return json;
    };
    await call('POST', '/sign-in', { email: demo.email, password: demo.password });
    const { data } = await call('POST', '/webhooks/test', { url: receiver.url('/test-event') });
    const [delivery] = await receiver.arrived('/test-event');
    expectSigned(delivery, demo.webhookSecret);
    expect(delivery?.headers['webhook-id']).toBe(data.id);
    await eventually(async () =>
      expect((await call('GET', `/webhooks/tests/${data.id}`)).data).toMatchObject({
        state: 'delivered',
        status: 200,
      }),
    );
  });
});
