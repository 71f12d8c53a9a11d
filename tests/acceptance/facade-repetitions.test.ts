import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type FaultScene, openFaultScene } from './support/fault-scene.js';
import { query } from './support/product/database.js';
import type { Customer } from './support/scene.js';
import { type CuttingProxy, startCuttingProxy } from './support/servers/cutting-proxy.js';

let scene: FaultScene;
let proxy: CuttingProxy;
// `REAL_TIMES=true` runs this with the times of a real proxy and a slow model, which take minutes.
const REAL_TIMES = process.env.REAL_TIMES === 'true';
const CUT_AFTER_MS = REAL_TIMES ? 60_000 : 3_000;
/** Of the task whose client repeats while the API is killed. */
const TASK_MS = REAL_TIMES ? 85_000 : 15_000;
/** Repetition that the API is killed under. */
const KILLED_REPETITION = REAL_TIMES ? 1 : 2;

beforeAll(async () => {
  scene = await openFaultScene({ settings: { TASK_DEADLINE_MS: '300000' } });
  proxy = await startCuttingProxy(scene.product.url, CUT_AFTER_MS);
}, 700_000);
afterAll(async () => {
  await proxy.close();
  await scene.close();
});

interface Repetitions {
  readonly customer: Customer;
  readonly body: object;
  /** Says with each repetition how many there were, and pauses before it, as the SDKs of OpenAI do. */
  readonly isSdk: boolean;
  /** Called when the first byte of an attempt is sent, with its number from 0. */
  readonly onAttempt?: (attempt: number) => void;
}

/** Sends one request through the proxy again and again until it is answered, whatever breaks, and returns the answer. */
async function repeat({ customer, body, isSdk, onAttempt }: Repetitions) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    try {
      onAttempt?.(attempt);
      const response = await fetch(`${proxy.url}/openai/v1/images/generations`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${customer.key}`,
          'content-type': 'application/json',
          ...(isSdk && { 'x-stainless-retry-count': String(attempt) }),
        },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (response.status !== 503) {
        return {
          status: response.status,
          taskId: response.headers.get('x-gateway-task-id') ?? '',
          json: JSON.parse(text) as { data: { b64_json: string }[] },
        };
      }
    } catch (error) {
      // Node's own errors are of another realm than the test's Error.
      if ((error as { name?: unknown }).name !== 'TypeError') {
        throw error;
      }
    }
    await sleep(isSdk ? 400 : 20);
  }
  throw new Error('no answer');
}

const FACTS = `
SELECT (SELECT count(*)::int FROM tasks WHERE account_id = $1) AS tasks,
       (SELECT count(*)::int FROM provider_calls c JOIN tasks t ON t.id = c.task_id WHERE t.account_id = $1) AS calls,
       (SELECT count(*)::int FROM ledger_transfers WHERE account_id = $1 AND kind = 'capture') AS captures`;
const readFacts = async (customer: Customer) => (await query(scene.product, FACTS, [customer.id]))[0];
const readImage = async (taskId: string): Promise<string> => {
  const response = await fetch(`${scene.product.url}/files/images/${taskId}/0.png`);
  return Buffer.from(await response.arrayBuffer()).toString('base64');
};

describe('a proxy that cuts every connection long before the images are drawn', () => {
  test.each([
    ['a client that repeats at once', false],
    ['a client that counts its repetitions', true],
  ])(
    'a proxy that cuts every connection long before the images are drawn costs %s one provider call and one capture, kill -9 of the API included',
    async (_name, isSdk) => {
      const customer = await scene.customer();
      const { pid } = scene.product.run().api;
      const cutsBefore = proxy.cuts();
      let attempts = 0;
      const { status, taskId, json } = await repeat({
        customer,
        isSdk,
        body: { prompt: `sandbox:fixed sandbox:delay=${TASK_MS}`, size: '1024x1024' },
        onAttempt: (attempt) => {
          attempts += 1;
          if (attempt === KILLED_REPETITION) {
            setTimeout(() => process.kill(pid, 'SIGKILL'), CUT_AFTER_MS / 3);
          }
        },
      });
      expect(status).toBe(200);
      expect(json.data[0]?.b64_json).toBe(await readImage(taskId));
      expect(proxy.cuts() - cutsBefore).toBeGreaterThanOrEqual(KILLED_REPETITION);
      expect(attempts).toBeGreaterThan(3);
      expect(scene.product.run().api.pid).not.toBe(pid);
      expect(await readFacts(customer)).toEqual({ tasks: 1, calls: 1, captures: 1 });
      await eventually(async () =>
        expect(
          await query(scene.product, 'SELECT state FROM facade_requests WHERE task_id = $1', [taskId]),
        ).toEqual([{ state: 'delivered' }]),
      );
    },
  );

  test('a proxy that cuts every connection long before the images are drawn gives fifty equal requests at once fifty tasks with answers of their own, and repetitions none of them twice', async () => {
    const customer = await scene.customer();
    const body = { prompt: `sandbox:fixed sandbox:delay=${CUT_AFTER_MS + 500}`, size: '1024x1024' };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => repeat({ customer, body, isSdk: false })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ taskId }) => taskId)).size).toBe(50);
    expect(await readFacts(customer)).toEqual({ tasks: 50, calls: 50, captures: 50 });
  });

  test('a proxy that cuts every connection long before the images are drawn never gives a user behind a shared key the images of another user', async () => {
    const customer = await scene.customer();
    const draw = (user: string) =>
      repeat({
        customer,
        isSdk: false,
        body: { prompt: `sandbox:fixed sandbox:delay=${CUT_AFTER_MS * 2}`, user },
      });
    const [ann, bob] = await Promise.all([draw('ann'), draw('bob')]);
    expect([ann.status, bob.status]).toEqual([200, 200]);
    expect(ann.taskId).not.toBe(bob.taskId);
    expect(await readFacts(customer)).toEqual({ tasks: 2, calls: 2, captures: 2 });
  });
});
