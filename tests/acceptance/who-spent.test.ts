import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from './support/client.js';
import { type FaultScene, openFaultScene } from './support/fault-scene.js';
import { newKey } from './support/product/accounts.js';
import { query } from './support/product/database.js';
import { mustGateway } from './support/product/gateway.js';
import type { Customer } from './support/scene.js';
import type { Task } from './support/servers/wire.js';

interface Caller {
  readonly key: string;
  readonly client: Client;
}

let scene: FaultScene;
let customer: Customer;
/** Two keys of the account with their clients; each may do everything. */
let callers: readonly Caller[];
/** Result that edits read. */
let sample = '';

beforeAll(async () => {
  scene = await openFaultScene({ args: ['--api', '2'], settings: { MAX_FAILED_TASKS: 'off' } });
  customer = await scene.customer('20.00');
  const keys = await Promise.all(
    [1, 2].map(() => newKey(scene.product, customer.id, '--scopes', 'generate,read,delete')),
  );
  callers = keys.map(({ key }) => ({ key, client: scene.caller(key) }));
  sample = (await customer.client.run({ prompt: 'sandbox:fixed' })).output?.urls[0] ?? '';
}, 700_000);
afterAll(() => scene.close());

const USERS = ['ann', 'bob', 'cee', null] as const;
const TEAMS = ['red', 'blue', null] as const;

/** Visits of one actor: what is asked for, and what becomes of the task. */
const VISITS = [
  { fields: { prompt: 'sandbox:fixed' } },
  { fields: { prompt: 'sandbox:fixed', num_outputs: 3 }, fate: 'refund' },
  { fields: { prompt: 'sandbox:fixed', resolution: '2k' }, fate: 'erase' },
  { fields: { prompt: 'sandbox:fail=moderation' } },
  { fields: { prompt: 'sandbox:fixed sandbox:outputs=1', num_outputs: 2 }, fate: 'refund and erase' },
  { fields: { prompt: 'sandbox:delay=3000' }, fate: 'cancel' },
  { fields: { prompt: 'sandbox:fixed', image_urls: ['SAMPLE'] }, fate: 'erase' },
  { fields: { prompt: 'sandbox:fail=moderation' }, fate: 'erase' },
  { fields: { prompt: 'sandbox:fixed', image_urls: ['SAMPLE'], num_outputs: 2 } },
  { fields: { prompt: 'sandbox:fail=once sandbox:fixed' } },
] as const satisfies readonly { readonly fields: object; readonly fate?: string }[];

interface Seen {
  readonly id: string;
  readonly user: string | null;
  readonly team: string | null;
  readonly isErased: boolean;
}

async function visit(
  { key, client }: Caller,
  { fields, fate = '' }: { readonly fields: object; readonly fate?: string },
  who: Pick<Seen, 'user' | 'team'>,
): Promise<Seen> {
  const named = Object.entries(who).filter(([, value]) => value !== null);
  const { data } = await client.generate({
    ...JSON.parse(JSON.stringify(fields).replaceAll('SAMPLE', sample)),
    ...(named.length > 0 && { metadata: Object.fromEntries(named) }),
  });
  if (fate === 'cancel') {
    await client.call('POST', `/v1/tasks/${data.id}/cancel`);
  }
  const ended: Task = await client.finished(data.id, 60_000);
  if (fate.startsWith('refund') && ended.status === 'completed') {
    await mustGateway(scene.product, 'task', 'refund', data.id, '--reason', 'a mixed day');
  }
  if (fate.endsWith('erase')) {
    const { status } = await fetch(`${scene.product.url}/v1/tasks/${data.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}` },
    });
    expect(status).toBe(204);
  }
  return { id: data.id, ...who, isErased: fate.endsWith('erase') };
}

const toMicros = (dollars: string): number => Math.round(Number(dollars.replace('$', '')) * 1e6);

/** Reads what the ledger took for each task, less refunds, in micro-dollars. */
async function readLedger(): Promise<ReadonlyMap<string, number>> {
  const rows = await query<{ task: string; micros: string }>(
    scene.product,
    `SELECT task_id AS task, sum(CASE kind WHEN 'capture' THEN amount_micros ELSE -amount_micros END) AS micros
       FROM ledger_transfers WHERE account_id = $1 AND kind IN ('capture', 'refund') GROUP BY 1`,
    [customer.id],
  );
  return new Map(rows.map(({ task, micros }) => [task, Number(micros)]));
}

/** Sums what the ledger took by the values of a key, as they stand after erasure; zero sums are left out. */
function sumBy(
  key: 'user' | 'team',
  seen: readonly Seen[],
  ledger: ReadonlyMap<string, number>,
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [task, micros] of ledger) {
    const found = seen.find(({ id }) => id === task);
    const value = (found && !found.isErased && found[key]) || 'nobody';
    sums[value] = (sums[value] ?? 0) + micros;
  }
  return Object.fromEntries(Object.entries(sums).filter(([, micros]) => micros !== 0));
}

async function readSummary(key: 'user' | 'team'): Promise<Record<string, number>> {
  const entries = (await customer.client.summary(
    `?group_by=metadata:${key}&include=refunds`,
  )) as unknown as readonly { total_cost: string; metadata?: Record<string, string> }[];
  const sums = entries.map(
    ({ metadata, total_cost: cost }) => [metadata?.[key] ?? 'nobody', toMicros(cost)] as const,
  );
  return Object.fromEntries(sums.filter(([, micros]) => micros !== 0));
}

test('the spend of each user and each tag equals the ledger to the micro-dollar after a day of edits, failures, refunds, cancellations and erasures', async () => {
  const actors = USERS.flatMap((user) => TEAMS.map((team) => ({ user, team })));
  const seen = (
    await Promise.all(
      actors.map(async (who, place) => {
        const caller = callers[place % callers.length] ?? customer;
        const own: Seen[] = [];
        for (let step = 0; step < VISITS.length; step++) {
          // Each actor begins elsewhere: all kinds are under way at any moment.
          const next = VISITS[(step + place) % VISITS.length] ?? VISITS[0];
          own.push(await visit(caller, next, who));
        }
        return own;
      }),
    )
  ).flat();
  expect(seen).toHaveLength(actors.length * VISITS.length);
  const ledger = await readLedger();
  for (const key of ['user', 'team'] as const) {
    const sums = sumBy(key, seen, ledger);
    // Usage without a value is among them, with what was erased.
    expect(Object.keys(sums).length).toBe(key === 'user' ? USERS.length : TEAMS.length);
    expect(await readSummary(key)).toEqual(sums);
  }
  const total = [...ledger.values()].reduce((sum, micros) => sum + micros, 0);
  const { items } = await customer.client.usage('?metadata[user]=ann&include=refunds&per_page=100');
  const ofAnn = items.reduce((sum, { cost }) => sum + toMicros(cost), 0);
  expect(ofAnn).toBe(sumBy('user', seen, ledger).ann);
  const [account] = await query<{ balance: string; held: string }>(
    scene.product,
    'SELECT balance_micros AS balance, held_micros AS held FROM accounts WHERE id = $1',
    [customer.id],
  );
  expect([Number(account?.balance), Number(account?.held)]).toEqual([20_000_000 - total, 0]);
}, 300_000);
