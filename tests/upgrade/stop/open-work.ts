import { checkInvariants, eventually } from '@image-gateway/testing';
import type pg from 'pg';
import type { Outside } from './start-outside.js';

/** Where requests go, and with which key. */
export interface Door {
  readonly url: string;
  readonly apiKey: string;
}

/** Work that is open at the stop. */
export interface OpenWork {
  /** Ids of the tasks by the idempotency key of their requests. */
  readonly ids: ReadonlyMap<string, string>;
  readonly balanceMicros: bigint;
}

const JOBS = 6;
const DONE = 3;
const QUEUED = 5;
const UNIT_MICROS = 10_000n;
const PATIENT = { timeoutMs: 120_000, everyMs: 200 };

const wishes = ({ url }: Outside): [key: string, body: object][] => {
  const list = (kind: string, count: number, build: (n: number) => object) =>
    Array.from({ length: count }, (_, n): [string, object] => [
      `${kind}-${n}`,
      { ...build(n), webhook_url: `${url}/hooks/${kind}-${n}` },
    ]);
  const quick = () => ({ model: 'quick', prompt: 'sandbox:fixed' });
  return [
    ...list('done', DONE, quick),
    ...list('job', JOBS, (n) => ({ model: 'poster', prompt: `job ${n}` })),
    ...list('queued', QUEUED, quick),
  ];
};

/** Sends a request; returns the status and the id of its task. */
export async function submit(
  { url, apiKey }: Door,
  key: string,
  body: object,
): Promise<{ status: number; id: string | undefined; isReplay: boolean }> {
  const answer = await fetch(`${url}/v1/generate`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${apiKey}`,
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  });
  const { data } = (await answer.json()) as { data?: { id: string } };
  return {
    status: answer.status,
    id: data?.id,
    isReplay: answer.headers.get('idempotent-replayed') === 'true',
  };
}

/** Opens tasks, jobs at the vendor and due webhooks, and resolves when each kind is there. Throws Error when it is not. */
export async function openWork(door: Door, outside: Outside, pool: pg.Pool): Promise<OpenWork> {
  const { rows } = await pool.query<{ balance: string }>(
    'SELECT balance_micros AS balance FROM accounts ORDER BY balance_micros DESC LIMIT 1',
  );
  const ids = new Map<string, string>();
  for (const [key, body] of wishes(outside)) {
    if (key === 'job-0') {
      await eventually(() => expectThat(outside.hooks().length >= DONE, 'webhooks are due'), PATIENT);
      // Tasks for the sandbox wait from now on: a call that is cut off has an unknown outcome and is not made again.
      await pool.query("INSERT INTO provider_limits (name, paused_at) VALUES ('sandbox', now())");
    }
    const { status, id } = await submit(door, key, body);
    expectThat(status === 202 && id !== undefined, `${key} got ${status}`);
    ids.set(key, id ?? '');
  }
  await eventually(async () => {
    const found = await pool.query<Record<'open' | 'jobs' | 'started' | 'hooks', number>>(
      `SELECT (SELECT count(*)::int FROM tasks WHERE status = 'pending') AS open,
              (SELECT count(*)::int FROM provider_calls WHERE state = 'submitted') AS jobs,
              (SELECT count(*)::int FROM provider_calls WHERE state = 'started') AS started,
              (SELECT count(*)::int FROM webhook_deliveries WHERE state = 'pending' AND attempt > 0) AS hooks`,
    );
    const [row] = found.rows;
    const isOpen = row?.open === JOBS + QUEUED && row.jobs === JOBS && row.started === 0 && row.hooks > 0;
    expectThat(isOpen, `everything is open: ${JSON.stringify(row)}`);
  }, PATIENT);
  return { ids, balanceMicros: BigInt(rows[0]?.balance ?? 0) };
}

/** Lists what was lost, bought twice or told twice once everything has ended behind this door. */
export async function judgeWork(
  door: Door,
  outside: Outside,
  { pool, work }: { readonly pool: pg.Pool; readonly work: OpenWork },
): Promise<string[]> {
  const faults: string[] = [];
  const note = (isGood: boolean, fault: string): void => void (isGood || faults.push(fault));
  await pool.query("UPDATE provider_limits SET paused_at = NULL WHERE name = 'sandbox'");
  // A client that never got its answer asks again.
  for (const [key, body] of wishes(outside)) {
    const { status, id, isReplay } = await submit(door, key, body);
    note(isReplay && id === work.ids.get(key), `${key} asked again got ${status} ${id}`);
  }
  await eventually(async () => {
    const { rows } = await pool.query("SELECT FROM tasks WHERE status = 'pending'");
    expectThat(rows.length === 0, `${rows.length} tasks are open`);
    const taken = new Set(
      outside
        .hooks()
        .filter(({ status }) => status === 200)
        .map(({ path }) => path),
    );
    expectThat(taken.size === work.ids.size, `${taken.size} of ${work.ids.size} webhooks have arrived`);
  }, PATIENT).catch((error: unknown) => faults.push(String(error)));

  for (const [key, id] of work.ids) {
    const answer = await fetch(`${door.url}/v1/tasks/${id}`, {
      headers: { authorization: `Bearer ${door.apiKey}` },
    });
    const { data } = (await answer.json()) as { data?: { status: string; cost: string } };
    note(data?.status === 'completed' && data.cost === '$0.0100', `${key} is ${JSON.stringify(data)}`);
    const hooks = outside.hooks().filter(({ path }) => path === `/hooks/${key}`);
    note(new Set(hooks.map((hook) => hook.id)).size === 1, `the webhook of ${key} had several ids`);
    note(hooks.filter(({ status }) => status === 200).length === 1, `the webhook of ${key} was taken twice`);
  }
  const bought = [...outside.bought()].sort();
  note(bought.length === JOBS && new Set(bought).size === JOBS, `bought: ${bought.join(', ')}`);
  const { rows } = await pool.query<{ balance: string; held: string }>(
    'SELECT balance_micros AS balance, held_micros AS held FROM accounts WHERE id = (SELECT account_id FROM tasks WHERE id = $1)',
    [work.ids.values().next().value],
  );
  const expected = work.balanceMicros - UNIT_MICROS * BigInt(work.ids.size);
  note(
    BigInt(rows[0]?.balance ?? -1) === expected && rows[0]?.held === '0',
    `the account has ${rows[0]?.balance} and holds ${rows[0]?.held}, expected ${expected}`,
  );
  await eventually(() => checkInvariants(pool, 'rest'), { timeoutMs: 30_000, everyMs: 500 }).catch(
    (error: unknown) => faults.push(String(error)),
  );
  return faults;
}

/** Throws an Error with these words unless the condition holds. */
export function expectThat(condition: boolean, words: string): void {
  if (!condition) {
    throw new Error(`not so: ${words}`);
  }
}
