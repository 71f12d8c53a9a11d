import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { gateway, mustGateway } from './support/product/gateway.js';
import { freePort } from './support/product/ports.js';
import { isAlive, type OwnProduct, startProduct } from './support/product/product.js';
import { listPids } from './support/product/run-file.js';
import { fastSettings } from './support/product/settings.js';
import { type Customer, openScene, type Scene } from './support/scene.js';
import { type Receiver, startReceiver } from './support/servers/receiver.js';

let product: OwnProduct;
let scene: Scene;
let customer: Customer;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver(await freePort());
  const settings = { ...fastSettings, LOG_LEVEL: 'debug', OUTBOUND_ALLOW: `127.0.0.1:${receiver.port}` };
  product = await startProduct({ settings });
  scene = await openScene(product);
  customer = await scene.customer();
}, 700_000);
afterAll(async () => {
  await product.discard();
  await receiver.close();
});

describe('run.json', () => {
  test('run.json is private and names everything that runs', () => {
    const run = product.run();
    expect(statSync(path.join(product.dataDir, 'run.json')).mode & 0o777).toBe(0o600);
    expect(listPids(run).filter((pid) => !isAlive(pid))).toEqual([]);
    expect(run).toMatchObject({
      api: {
        pid: expect.any(Number),
        url: expect.stringMatching(/^http/),
        metricsUrl: expect.stringMatching(/^http/),
      },
      generationWorkers: [{ pid: expect.any(Number), metricsUrl: expect.stringMatching(/^http/) }],
      webhookWorkers: [{ pid: expect.any(Number), metricsUrl: expect.stringMatching(/^http/) }],
      postgres: { pid: expect.any(Number), url: expect.stringMatching(/^postgres/) },
      redis: { pid: expect.any(Number), url: expect.stringMatching(/^redis/) },
      s3: {
        pid: expect.any(Number),
        bucket: expect.any(String),
        accessKey: expect.any(String),
        secretKey: expect.any(String),
      },
      demo: { accountId: expect.stringMatching(/^acc_/), webhookSecret: expect.stringMatching(/^whsec_/) },
      operator: { email: expect.any(String), password: expect.any(String) },
    });
  });

  test('run.json gives a demo account with $10 and a key that works, and npm start prints it with a curl line', async () => {
    const { demo } = product.run();
    expect(await mustGateway(product, 'account', 'show', demo.accountId)).toMatchObject({
      balance: '$10.0000',
    });
    expect((await scene.caller(demo.apiKey).run({ prompt: 'sandbox:fixed' })).status).toBe('completed');
    const { port } = new URL(product.url);
    for (const printed of [demo.apiKey, demo.email, demo.password, `http://localhost:${port}`, 'curl']) {
      expect(product.log()).toContain(printed);
    }
  });
});

describe('health', () => {
  const get = async (target: string) => {
    const answer = await fetch(`${product.url}${target}`);
    return { status: answer.status, body: JSON.stringify(await answer.json()) };
  };

  test('healthz and readyz are 200 without a key, and readyz names Redis and storage as ok', async () => {
    expect((await get('/healthz')).status).toBe(200);
    const { status, body } = await get('/readyz');
    expect(status).toBe(200);
    expect(body).toMatch(/"redis":\s*"ok"/);
    expect(body).toMatch(/"storage":\s*"ok"/);
  });

  test('metrics stand on the metrics port of every process, and on no public one', async () => {
    const run = product.run();
    const urls = [run.api, ...run.generationWorkers, ...run.webhookWorkers].map(
      ({ metricsUrl }) => metricsUrl,
    );
    for (const url of urls) {
      const answer = await fetch(url.endsWith('/metrics') ? url : `${url}/metrics`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        expect.stringMatching(/^text\/plain/),
      ]);
      expect(await answer.text()).toMatch(/^# TYPE process_cpu_\w+ counter$/m);
    }
    expect((await fetch(`${product.url}/metrics`)).status).toBe(404);
  });
});

describe('doctor', () => {
  interface Fault {
    name: string;
    settings: () => Promise<Record<string, string>>;
    word: RegExp;
  }
  const deadPort = async (scheme: string, rest = '') => `${scheme}://127.0.0.1:${await freePort()}${rest}`;
  const faults: Fault[] = [
    {
      name: 'PostgreSQL',
      settings: async () => ({ DATABASE_URL: await deadPort('postgres', '/x') }),
      word: /postgres/i,
    },
    { name: 'Redis', settings: async () => ({ REDIS_URL: await deadPort('redis') }), word: /redis/i },
    {
      name: 'the object store',
      settings: async () => ({ S3_ENDPOINT: await deadPort('http') }),
      word: /s3|storage|object/i,
    },
  ];

  test('doctor finds nothing wrong with what runs', async () => {
    expect((await gateway(product, ['doctor'])).code).toBe(0);
  });

  test.each(faults)(
    'doctor names $name when it is down, says what to do, and exits with 1',
    async ({ settings, word }) => {
      const { code, value } = await gateway(product, ['doctor'], { settings: await settings() });
      expect(code).toBe(1);
      const text = JSON.stringify(value);
      expect(text).toMatch(word);
      expect(text).toMatch(/start|check|set|install|run|mend|fix/i);
    },
  );
});

describe('logs', () => {
  test('show no secret: no key, no webhook secret, no prompt, no signed URL', async () => {
    const planted = 'planted5ecret';
    const prompt = `sandbox:fixed ${planted}-prompt`;
    const negative_prompt = `${planted}-negative`;
    const webhook_url = receiver.url(`/log?signature=${planted}-webhook`);
    const image_urls = [receiver.url(`/image.png?token=${planted}-image`)];
    await customer.client.run({ prompt, negative_prompt, webhook_url });
    await customer.client.run({ prompt, webhook_url, image_urls });
    await receiver.arrived('/log', 2);
    const stranger = scene.caller(`gw_live_${planted}`);
    await stranger.call('GET', `/v1/tasks?key=${planted}-query`);
    await customer.client.call('POST', '/v1/generate', {
      headers: {
        'content-type': 'application/json',
        cookie: `session=${planted}-cookie`,
        'x-api-key': `${planted}-header`,
      },
      body: `{"prompt":"${planted}-broken"`,
    });
    const logs = [product.log(), ...logFilesIn(product.dataDir)].join('\n');
    expect(logs.length).toBeGreaterThan(1_000);
    const secrets = [
      planted,
      customer.key,
      customer.webhookSecret,
      customer.webhookSecret.slice(6),
      'correct horse 9 battery',
    ];
    const shown = logs.split('\n').filter((line) => secrets.some((secret) => line.includes(secret)));
    expect(shown).toEqual([]);
  });

  test('carry the request id of the answer, from the API over the worker to the webhook', async () => {
    const { data } = await customer.client.generate(
      { prompt: 'sandbox:fixed', webhook_url: receiver.url('/find-me') },
      { 'x-request-id': 'find-me.1' },
    );
    await customer.client.finished(data.id);
    await receiver.arrived('/find-me');
    await eventually(() => {
      const lines = product.log().split('\n');
      const about = lines.filter((line) => line.includes('"service":') && line.includes(data.id));
      expect(about.filter((line) => !line.includes('"requestId":"find-me.1"'))).toEqual([]);
      const found = lines.filter((line) => line.includes('"requestId":"find-me.1"'));
      for (const service of ['api', 'generation-worker', 'webhook-worker']) {
        expect(found.some((line) => line.includes(`"service":"${service}"`))).toBe(true);
      }
    });
  });
});

describe('stopping and starting', () => {
  test('Ctrl-C ends every process of run.json', async () => {
    const before = product.run();
    await product.stop('SIGINT');
    expect(listPids(before).filter(isAlive)).toEqual([]);
  });

  test('a new start keeps accounts, keys, tasks, images, the demo account and its key', async () => {
    const wanted = product.log().length;
    await product.startAgain();
    const { items } = await customer.client.tasks('?status=completed');
    expect(items).toHaveLength(2);
    expect((await fetch(items[0]?.output?.url ?? '')).status).toBe(200);
    const { demo } = product.run();
    expect((await scene.caller(demo.apiKey).tasks()).pagination.total).toBe(1);
    expect(await mustGateway(product, 'account', 'show', demo.accountId)).toMatchObject({
      balance: '$9.9900',
    });
    expect(product.log().slice(wanted)).toContain(demo.apiKey);
    await scene.audit();
  });
});

// Log files that the product may keep beside its standard output.
function logFilesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.log') && name !== 'product.log')
    .map((name) => readFileSync(path.join(folder, name), 'utf8'));
}
