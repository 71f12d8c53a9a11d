import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from './support/client.js';
import { eventually } from './support/eventually.js';
import { type FaultScene, openFaultScene } from './support/fault-scene.js';
import { expectNothingLost, type History } from './support/history.js';
import { newKey } from './support/product/accounts.js';
import { query } from './support/product/database.js';
import { expectLiveInvariants } from './support/product/invariants.js';
import { isAlive } from './support/product/product.js';
import type { Task } from './support/servers/wire.js';

// .ci/long has a thousand of them.
const CANCELLATIONS = Number(process.env.CANCELLATIONS ?? 300);

let scene: FaultScene;

beforeAll(async () => {
  scene = await openFaultScene();
}, 700_000);
afterAll(() => scene.close());

/** Kills a process that serves now: the API, or the first generation worker. */
function kill(what: 'api' | 'worker'): void {
  const { api, generationWorkers } = scene.product.run();
  const pid = what === 'api' ? api.pid : generationWorkers[0]?.pid;
  if (pid !== undefined && isAlive(pid)) {
    process.kill(pid, 'SIGKILL');
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Repeats a request until something other than a broken connection or a 5xx answers it. */
async function insist<T extends { readonly status: number }>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      const answer = await send();
      if (answer.status < 500) {
        return answer;
      }
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (typeof code !== 'string') {
        throw error;
      }
    }
    await pause(100);
  }
}

describe('kill -9 of the API and of workers', () => {
  test('kill -9 of the API and of workers: 200 submits at once on a key with money for 37 are 37 tasks', async () => {
    const customer = await scene.customer();
    const { id: keyId, key } = await newKey(scene.product, customer.id, '--cap-total', '0.37');
    const client = scene.caller(key);
    let answers = 0;
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const fields = { prompt: 'sandbox:fixed sandbox:delay=300' };
        const { status } = await insist(() =>
          client.generate(fields, { 'idempotency-key': `submit-${index}` }),
        );
        answers += 1;
        if (answers === 20 || answers === 120) {
          kill('worker');
        }
        if (answers === 30) {
          kill('api');
        }
        return status;
      }),
    );
    expect(statuses.filter((status) => status === 202)).toHaveLength(37);
    expect(statuses.filter((status) => status === 403)).toHaveLength(163);
    await expectLiveInvariants(scene.product);
    await eventually(async () => {
      const rows = await query<{ status: string }>(
        scene.product,
        'SELECT status FROM tasks WHERE api_key_id = $1',
        [keyId],
      );
      expect(rows.map(({ status }) => status)).toEqual(Array.from({ length: 37 }, () => 'completed'));
    });
    const spend = 'SELECT held_micros AS held, spent_micros AS spent FROM key_spend WHERE api_key_id = $1';
    expect(await query(scene.product, spend, [keyId])).toEqual([{ held: '0', spent: '370000' }]);
    const { status } = await insist(() => client.generate({ prompt: 'sandbox:fixed' }));
    expect(status).toBe(403);
  });

  test('kill -9 of the API and of workers: hundreds of cancellations that race settlement end each task once, with one webhook', async () => {
    const customer = await scene.customer('15.00');
    const { client } = customer;
    const history: History = { path: '/canceled', accepted: [], refused: [], unknown: [] };
    const canceled: Task[] = [];
    const cancel = async (id: string, by: Client): Promise<void> => {
      const { status, data } = await insist(() => by.call<Task>('POST', `/v1/tasks/${id}/cancel`));
      expect(status).toBe(200);
      canceled.push(data);
    };
    let next = 0;
    const caller = async (): Promise<void> => {
      while (next < CANCELLATIONS) {
        const index = next++;
        const fields = { prompt: `sandbox:fixed sandbox:delay=${index % 200}`, num_outputs: 1 + (index % 2) };
        const { status, envelope } = await insist(() =>
          client.generate(
            { ...fields, webhook_url: scene.receiver.url(history.path) },
            { 'idempotency-key': `cancel-${index}` },
          ),
        );
        expect(status).toBe(202);
        const { id } = envelope.data as Task;
        history.accepted.push(id);
        if (index % (CANCELLATIONS / 4) === CANCELLATIONS / 10) {
          kill('worker');
        }
        if (index === CANCELLATIONS * 0.4) {
          kill('api');
        }
        await pause(index % 5 === 0 ? 0 : (index * 37) % 400);
        await cancel(id, client);
      }
    };
    await Promise.all(Array.from({ length: 40 }, caller));
    await expectLiveInvariants(scene.product);
    const rows = await expectNothingLost(scene, customer, scene.receiver, [history]);
    expect([rows.length, canceled.length]).toEqual([CANCELLATIONS, CANCELLATIONS]);
    const sql = `SELECT count(*)::int AS deliveries FROM webhook_deliveries WHERE account_id = $1`;
    expect(await query(scene.product, sql, [customer.id])).toEqual([{ deliveries: CANCELLATIONS }]);
    // An answer about an ended task stays true. Both ends were seen.
    const statuses = new Map(rows.map(({ id, status }) => [id, status]));
    for (const { id, status } of canceled.filter((task) => task.status !== 'pending')) {
      expect([id, statuses.get(id)]).toEqual([id, status]);
    }
    expect(new Set(statuses.values())).toEqual(new Set(['completed', 'failed']));
  }, 600_000);
});
