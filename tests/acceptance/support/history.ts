import { expect } from '@jest/globals';
import type { Client } from './client.js';
import { eventually } from './eventually.js';
import { query } from './product/database.js';
import type { Customer, Scene } from './scene.js';
import type { Receiver } from './servers/receiver.js';
import { expectSigned } from './verify-webhook.js';

/** Knowledge of a caller after submits under faults: accepted, refused and unknown tasks. */
export interface History {
  path: string;
  accepted: string[];
  refused: number[];
  unknown: string[];
}

interface Load {
  client: Client;
  receiver: Receiver;
  /** The webhook path of this load, unlike that of any other. */
  path: string;
  count: number;
  /** How many are under way at a time. */
  concurrency: number;
  prompt: string;
  /** Called after each answer, with the number of answers so far. */
  onAnswer?: (answers: number) => void;
}

/** Submits `count` tasks and notes the fate of each; a broken connection or a 5xx is unknown, never an error of the test. */
export async function submitUnderFaults(load: Load): Promise<History> {
  const { client, receiver, path, count, concurrency, prompt, onAnswer } = load;
  const history: History = { path, accepted: [], refused: [], unknown: [] };
  let next = 0;
  let answers = 0;
  const caller = async () => {
    while (next < count) {
      next += 1;
      try {
        const { status, envelope } = await client.generate({ prompt, webhook_url: receiver.url(path) });
        if (status === 202) {
          history.accepted.push((envelope.data as { id: string }).id);
        } else if (status < 500) {
          history.refused.push(status);
        } else {
          history.unknown.push(String(status));
        }
      } catch (error) {
        // Not by instanceof: Node's own errors are of another realm than the test's Error.
        const { code } = error as { code?: unknown };
        if (typeof code !== 'string' || code === 'TIMEOUT') {
          throw error;
        }
        history.unknown.push(code);
        await new Promise((resolve) => setTimeout(resolve, 50)); // a refused connection must not use up all submissions
      }
      answers += 1;
      onAnswer?.(answers);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  return history;
}

interface Outcome {
  id: string;
  status: string;
  tries: number;
  attempt: number;
}

/**
 * Expects that every accepted task ends, some of them in each `withinMs`, however long all of them take. No task exists beside
 * accepted and unknown ones. Each webhook arrives under one id and says what GET says. Returns the rows of the tasks. Money is
 * left to the invariants.
 */
export async function expectNothingLost(
  scene: Scene,
  customer: Customer,
  receiver: Receiver,
  histories: readonly History[],
  withinMs = 40_000,
): Promise<Outcome[]> {
  const accepted = histories.flatMap((history) => history.accepted);
  const unknown = histories.reduce((sum, history) => sum + history.unknown.length, 0);
  const sql = 'SELECT id, status, tries, attempt FROM tasks WHERE account_id = $1';
  const rows = await whileFewerRemain(withinMs, async () => {
    const all = await query<Outcome>(scene.product, sql, [customer.id]);
    const open = all.filter(({ status }) => status === 'pending');
    const left = `${open.length} of ${all.length} tasks are still pending: ${JSON.stringify(open.slice(0, 3))}`;
    return { remain: open.length, left, value: all };
  });
  const ids = new Set(rows.map(({ id }) => id));
  expect(accepted.filter((id) => !ids.has(id))).toEqual([]);
  expect(new Set(accepted).size).toBe(accepted.length);
  expect(rows.length).toBeLessThanOrEqual(accepted.length + unknown);
  await whileFewerRemain(20_000, async () => {
    const untold = listUntold(customer, receiver, histories, rows);
    return { remain: untold.length, left: `no webhook told of ${untold.join(' ')}`, value: rows };
  });
  return rows;
}

/** Looks until nothing remains. Throws when for so long no look has found fewer: how long it takes in all is up to the machine. */
async function whileFewerRemain<T>(
  stillMs: number,
  look: () => Promise<{ readonly remain: number; readonly left: string; readonly value: T }>,
): Promise<T> {
  let fewest = Number.POSITIVE_INFINITY;
  for (;;) {
    const found = await eventually(
      async () => {
        const now = await look();
        if (now.remain > 0 && now.remain >= fewest) {
          throw new Error(now.left);
        }
        return now;
      },
      { withinMs: stillMs, everyMs: 250 },
    );
    if (found.remain === 0) {
      return found.value;
    }
    fewest = found.remain;
  }
}

/** Tasks of which no webhook has told yet; throws when one says something else than GET. */
function listUntold(
  customer: Customer,
  receiver: Receiver,
  histories: readonly History[],
  rows: Outcome[],
): string[] {
  const statuses = new Map(rows.map(({ id, status }) => [id, status]));
  const told = new Map<string, string>();
  for (const call of histories.flatMap(({ path }) => receiver.deliveries(path))) {
    const { data } = expectSigned(call, customer.webhookSecret);
    const webhookId = String(call.headers['webhook-id']);
    expect(data.status).toBe(statuses.get(data.id));
    expect(told.get(data.id) ?? webhookId).toBe(webhookId);
    told.set(data.id, webhookId);
  }
  return rows.filter(({ id }) => !told.has(id)).map(({ id }) => id);
}
