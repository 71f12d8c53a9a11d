import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer, Client } from './support/client.js';
import { eventually } from './support/eventually.js';
import { expectError } from './support/expect-error.js';
import { newKey, readMoney } from './support/product/accounts.js';
import { query } from './support/product/database.js';
import { type OwnProduct, startProduct } from './support/product/product.js';
import { fastSettings } from './support/product/settings.js';
import { type Customer, openScene, type Scene } from './support/scene.js';

let product: OwnProduct;
let scene: Scene;
let owner: Customer;

beforeAll(async () => {
  const settings = {
    ...fastSettings,
    // One more a minute: however slow the machine, none comes back during a test.
    RATE_LIMIT_KEY: '10/600',
    RATE_LIMIT_IP: '40/2400',
    MAX_PENDING_TASKS: '3',
    TASK_DEADLINE_MS: '6000',
    TRUST_PROXY: 'loopback',
    NODE_ENV: 'production', // whatever a newcomer's shell says
    CI: 'true',
  };
  product = await startProduct({ settings });
  scene = await openScene(product);
  owner = await scene.customer();
}, 700_000);
afterAll(async () => {
  try {
    await scene.audit();
  } finally {
    await product.discard();
  }
});

// Each test has a key of its own, which nobody has used yet.
const freshKey = async () => (await newKey(product, owner.id)).key;

async function repeat(times: number, ask: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (answers.length < times) {
    answers.push(await ask());
  }
  return answers;
}
const list = (client: Client) => () => client.call('GET', '/v1/tasks');
const statuses = (answers: Answer[]) => answers.map(({ status }) => status);
const policyText = (answer: Answer | undefined) => String(answer?.headers['ratelimit-policy']);

// Looks into the database, since polling would use up the limits that are the subject here.
function ended(id: string): Promise<{ status: string }> {
  return eventually(async () => {
    const [task] = await query<{ status: string }>(product, 'SELECT status FROM tasks WHERE id = $1', [id]);
    if (task === undefined || task.status === 'pending') {
      throw new Error(`${id} is ${task?.status}`);
    }
    return task;
  });
}

function expectLimited(answer: Answer | undefined): void {
  if (answer === undefined) {
    throw new Error('no answer');
  }
  expectError(answer, 429, 'RATE_LIMITED');
  expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60);
}

describe('the limit of a key', () => {
  test('the limit of a key lets 10 requests through, then answers 429 with Retry-After, whatever address they come from', async () => {
    const key = await freshKey();
    const answers = await repeat(8, list(scene.caller(key, '203.0.113.1')));
    answers.push(...(await repeat(4, list(scene.caller(key, '203.0.113.2')))));
    expect(statuses(answers)).toEqual([...Array(10).fill(200), 429, 429]);
    expectLimited(answers.at(-1));
    expectLimited(await scene.caller(key, '203.0.113.3').generate({ prompt: 'sandbox:fixed' }));
  });
});

describe('the limit of an address', () => {
  test('the limit of an address counts all keys together and is announced without a key too', async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, freshKey));
    const answers: Answer[] = [];
    for (const key of keys) {
      answers.push(...(await repeat(9, list(scene.caller(key, '203.0.113.8')))));
    }
    expect(statuses(answers)).toEqual([...Array(40).fill(200), ...Array(5).fill(429)]);
    expectLimited(answers.at(-1));
    const stranger = await list(scene.caller(null, '203.0.113.9'))();
    expect(policyText(stranger)).toMatch(/"ip";q=40;w=2400/);
  });
});

describe('failed log-ins', () => {
  test('failed log-ins of one address do not shut out another', async () => {
    const key = await freshKey();
    const answers = await repeat(22, list(scene.caller('not-a-key', '203.0.113.11')));
    expect(statuses(answers)).toEqual([...Array(20).fill(401), 429, 429]);
    expectLimited(answers.at(-1));
    expect((await list(scene.caller(key, '203.0.113.12'))()).status).toBe(200);
  });
});

describe('open tasks of an account', () => {
  test('open tasks of an account are at most MAX_PENDING_TASKS, exactly, also when submitted at once; then 429 until one is done', async () => {
    const customer = await scene.customer();
    const client = scene.caller(customer.key, '203.0.113.13');
    const submit = () => client.generate({ prompt: 'sandbox:fixed sandbox:delay=2500' });
    const answers = await Promise.all(Array.from({ length: 8 }, submit));
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted).toHaveLength(3);
    for (const answer of answers.filter(({ status }) => status !== 202)) {
      expectError(answer, 429, 'RATE_LIMITED');
    }
    for (const { data } of accepted) {
      expect((await ended(data.id)).status).toBe('completed');
    }
    expect((await submit()).status).toBe(202);
  });
});

describe('the deadline of a task', () => {
  test('the deadline of a task ends it as failed at $0.00 when nothing is stored, and as completed with what is stored', async () => {
    const customer = await scene.customer('0.10');
    const client = scene.caller(customer.key, '203.0.113.16');
    const nothing = await client.generate({ prompt: 'sandbox:fixed sandbox:delay=20000' });
    // One image at a time: the second one would be there after 7 s, and the deadline is 6 s.
    const some = await client.generate({
      prompt: 'sandbox:fixed sandbox:outputs=1 sandbox:delay=3500',
      num_outputs: 2,
    });
    await Promise.all([ended(nothing.data.id), ended(some.data.id)]);
    const failed = await client.task(nothing.data.id);
    expect(failed).toMatchObject({
      status: 'failed',
      cost: '$0.00',
      error: expect.stringMatching(/in time/i),
    });
    const lived = Date.parse(failed.completed_at ?? '') - Date.parse(failed.created_at);
    expect(lived).toBeGreaterThanOrEqual(6_000);
    expect(lived).toBeLessThan(6_000 + 500 + 3_000);
    const partial = await client.task(some.data.id);
    expect([partial.status, partial.cost, partial.output?.urls.length]).toEqual(['completed', '$0.0100', 1]);
    expect(await readMoney(product, customer.id)).toEqual({ balance: '$0.0900', held: '$0.00' });
  });
});

describe('the catalog of a gateway without settings', () => {
  test('the catalog of a gateway without settings offers nanobanana only: nanobanana-pro is VALIDATION_ERROR', async () => {
    const client = scene.caller(await freshKey(), '203.0.113.15');
    expectError(
      await client.generate({ model: 'nanobanana-pro', prompt: 'sandbox:fixed' }),
      400,
      'VALIDATION_ERROR',
    );
    expect((await client.generate({ prompt: 'sandbox:fixed' })).status).toBe(202);
  });
});
