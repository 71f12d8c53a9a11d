import { REASONS, type Reason } from '@image-gateway/shared/contract';
import { loadActiveCatalog } from '@image-gateway/shared/db';
import type { NeedsView, ProvidersView } from '@image-gateway/shared/provider/schema';
import { applyCatalog, createTestTask, reportWorker } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkRefusals } from '../../src/doctor/check-refusals.js';
import { endTask } from '../support/end-task.js';
import type { TestApi } from '../support/start-api.js';
import { type Owner, type Person, startWithPeople, stopChecked, toAccount } from './support/people.js';

let api: TestApi;
let operator: Person;
let owner: Owner;
let catalogVersion: number;
beforeAll(async () => {
  ({ api, operator, owner } = await startWithPeople());
  catalogVersion = await applyCatalog(
    api.test,
    'models: { sketch: { types: [image_generate], price: { 1k: "0.0500" }, routes: [{ provider: gemini, model: image-1, cost: { 1k: "0.0100" } }] } }',
  );
});
afterAll(() => stopChecked(api));

const NOTHING = {
  providers: [],
  failing: [],
  open_circuits: [],
  moderated: [],
  broken_invariants: [],
  failing_endpoints: 0,
  low_balances: null,
};

/** Submits a task of the owner under the version of these tests. */
const submit = () =>
  createTestTask(api.test.db, toAccount(owner), { price: { unitMicros: 10_000n, catalogVersion } });

/** Makes calls of the owner that failed in this way. */
async function makeCalls(detail: string, times: number): Promise<void> {
  const { id } = await submit();
  await api.test.pool.query(
    `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, cost_micros, key_fingerprint)
     SELECT $1 || i, $1, 1, 'gemini', 'image-1', 1, '{0}', 'started', 0, 'f1' FROM generate_series(1, $2::int) i`,
    [id, times],
  );
  await api.test.pool.query(
    "UPDATE provider_calls SET state = 'refused', detail = $2, finished_at = now() WHERE task_id = $1",
    [id, detail],
  );
}

test('pages of operators and the doctor say the same of a refused key, and name accounts that moderation refuses', async () => {
  expect((await operator.get('/operator/needs')).data).toEqual(NOTHING);
  await makeCalls('auth', 1);
  await makeCalls('moderation', 20);
  const reason = 'the vendor refuses key f1. Set a valid key.';
  const need = { provider: 'gemini', model: null, reason, since: expect.any(String) };
  expect((await operator.get('/operator/needs')).data).toEqual({ ...NOTHING, providers: [need] });
  const { catalog } = await loadActiveCatalog(api.test.db);
  expect(await checkRefusals(api.test.db, Promise.resolve(catalog), undefined)).toEqual([
    {
      part: 'gemini',
      level: 'warning',
      observed: expect.stringMatching(/^the vendor refuses key f1, since 20/),
      remediation: 'Set a valid key.',
    },
  ]);
  const row = { account_id: owner.accountId, email: owner.email, provider: 'gemini' };
  const times = { since: expect.any(String), last_at: expect.any(String) };
  const { data } = await operator.get('/operator/providers?hours=1');
  expect(data).toMatchObject({ moderated: [{ ...row, ...times, refused: 20 }] });
  await makeCalls('moderation', 1);
  expect((await operator.get('/operator/needs')).data).toEqual({
    ...NOTHING,
    providers: [need],
    moderated: [{ ...row, ...times, refused: 21 }],
  });
});

test('a refused key is named by its last four letters everywhere, its route is not closed, and both end with the key', async () => {
  await makeCalls('billing', 1);
  const standing = {
    circuit: 'closed',
    pausedMs: {},
    keysSetAside: ['f1'],
    setAside: false,
    running: 0,
  } as const;
  const candidates = [{ provider: 'gemini', model: 'image-1', ...standing }];
  const report = (fingerprint: string, lastFour: string) =>
    reportWorker(api.test, {
      candidates,
      providers: ['gemini'],
      keys: { gemini: { source: 'database', address: 'a:443', keys: [{ fingerprint, lastFour }] } },
    });
  const read = async () => {
    const { data } = await operator.get('/operator/providers?hours=1');
    const { workers } = data as unknown as ProvidersView;
    const [{ circuit, refused_because, set_aside, held_back } = {}] = workers.flatMap(
      (one) => one.candidates,
    );
    return { circuit, refused_because, set_aside, held_back };
  };
  const readReasons = async () =>
    ((await operator.get('/operator/needs')).data as unknown as NeedsView).providers.map(
      ({ reason }) => reason,
    );
  await report('f1', 'ai-1');
  const billing = 'the account behind key …ai-1 has no money left, or is locked';
  expect(await readReasons()).toEqual([
    'the vendor refuses key …ai-1. Set a valid key.',
    `${billing}. Pay the vendor, or set another key.`,
    expect.stringMatching(
      /^no provider draws nanobanana, .*: gemini: the vendor refuses key …ai-1\. Pay the vendor or set/,
    ),
  ]);
  const refused = { circuit: 'refused', set_aside: true, held_back: true };
  expect(await read()).toMatchObject({ ...refused, refused_because: expect.stringContaining('key …ai-1') });
  await report('f2', 'ai-2');
  expect(await readReasons()).toEqual([]);
  expect(await read()).toEqual({
    circuit: 'closed',
    refused_because: null,
    set_aside: false,
    held_back: false,
  });
  await api.test.pool.query('DELETE FROM worker_reports');
});

test('the page names invariants that a check found broken, until a check finds them fixed', async () => {
  const look = async () => {
    const { data } = await operator.get('/operator/needs');
    return (data as { broken_invariants: string[] }).broken_invariants;
  };
  const setOpen = (change: string) =>
    api.test.pool.query(`UPDATE accounts SET open_count = open_count ${change} WHERE id = $1`, [
      owner.accountId,
    ]);
  await setOpen('+ 7');
  await operator.post('/operator/ledger/check', {});
  const broken = await look();
  expect(broken).toEqual([expect.stringMatching(/^I\d+ /)]);
  await setOpen('- 7');
  expect(await look()).toEqual(broken);
  await operator.post('/operator/ledger/check', {});
  expect(await look()).toEqual([]);
});

test('the page names a ceiling of which 80 percent are used, accounts below a threshold, and endpoints that fail', async () => {
  const sql = (text: string) => api.test.pool.query(text);
  await sql("INSERT INTO provider_limits (name, cost_day_micros) VALUES ('fal', 1000), ('openai', 0)");
  const { id } = await submit();
  const spend = (micros: number) =>
    api.test.pool.query(
      `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, cost_micros)
       VALUES ($1 || $2, $1, 1, 'fal', 'm', 1, '{0}', 'started', $2::int8)`,
      [id, micros],
    );
  await sql(`INSERT INTO endpoints (id, slot, url, host_port, types, threshold_micros, secret)
    VALUES ('ept_ops', 1, 'https://example.com/', 'example.com:443', '{account.balance_low}', 10000001, 'whsec_x')`);
  const look = async () => (await operator.get('/operator/needs')).data as typeof NOTHING;
  await spend(799);
  const calm = await look();
  expect(JSON.stringify(calm.providers)).not.toContain('ceiling');
  expect(calm).toMatchObject({
    failing_endpoints: 0,
    low_balances: { accounts: 1, threshold: '$10.000001' },
  });
  await spend(1);
  await sql("UPDATE endpoints SET failures = 2, failing_since = now() WHERE id = 'ept_ops'");
  expect(await look()).toMatchObject({
    providers: expect.arrayContaining([
      {
        provider: 'fal',
        model: null,
        reason:
          '80 percent of the ceiling of the day are used: $0.0008 of $0.0010. Raise it with: provider limit',
        since: null,
      },
    ]),
    failing_endpoints: 1,
  });
});

test('the page names models whose tasks fail at their providers, and routes whose circuit is open, each once', async () => {
  const look = async () => (await operator.get('/operator/needs')).data as typeof NOTHING;
  const fail = async (reason: Reason): Promise<void> => {
    const { id } = await submit();
    await endTask(api, id, { images: [], reason });
  };
  for (const reason of [REASONS.moderation, REASONS.upstream, REASONS.upstream]) {
    await fail(reason);
  }
  expect((await look()).failing).toEqual([]);
  await fail(REASONS.deadline);
  expect((await look()).failing).toEqual([{ model: 'nanobanana', failed: 3, since: expect.any(String) }]);
  // Where ten times as many completed meanwhile, it is no alarm.
  await api.test.pool.query(
    "INSERT INTO task_hours (hour, model, completed) VALUES (date_trunc('hour', now(), 'UTC'), 'nanobanana', 31)",
  );
  expect((await look()).failing).toEqual([]);
  await api.test.pool.query('DELETE FROM task_hours');
  const candidate = {
    provider: 'gemini',
    model: 'image-1',
    pausedMs: {},
    keysSetAside: [],
    setAside: false,
    running: 0,
  };
  for (const id of ['one', 'two']) {
    await reportWorker(api.test, { candidates: [{ ...candidate, circuit: 'open' }] }, { id });
  }
  expect((await look()).open_circuits).toEqual([{ provider: 'gemini', model: 'image-1' }]);
});
