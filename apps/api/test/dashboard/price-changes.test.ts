import type { CheckedDocumentView, ModelsView } from '@image-gateway/shared/catalog/schema';
import { applyCatalog, createTestTask } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { finishTask } from '../support/finish-task.js';
import type { TestApi } from '../support/start-api.js';
import { type Owner, type Person, startWithPeople, stopChecked, toAccount } from './support/people.js';

const DOCUMENT = `
models:
  sketch:
    price: { 1k: "0.0300", 2k: "0.0600" }
    types: [image_generate]
    aliases: [draft]
    routes: [{ provider: gemini, model: g, cost: { 1k: "0.0100", 2k: "0.0200" } }]
`;

/** Model whose route buys more than it sells. */
const WIDE = `  poster:
    price: { 1k: "0.0300" }
    types: [image_generate]
    routes:
      - provider: openai
        model: gpt-image-2
        cost: { 1k: { low: "0.0100", medium: "0.0200", high: "0.0400" }, 2k: "0.0300" }
`;

let api: TestApi;
let operator: Person;
let owner: Owner;
beforeAll(async () => {
  ({ api, operator, owner } = await startWithPeople({ GEMINI_API_KEY: 'k', OPENAI_API_KEY: 'k' }));
  const catalogVersion = await applyCatalog(api.test, `${DOCUMENT}${WIDE}`);
  const account = toAccount(owner);
  const order = { request: { model: 'sketch' }, price: { unitMicros: 30_000n, catalogVersion } };
  await finishTask(api, account, order);
  await createTestTask(api.test.db, account, order);
  await api.test.pool.query(
    `INSERT INTO api_keys (id, account_id, prefix, hash, models, revoked_at)
     SELECT 'key_m' || i, $1, 'gw_test', sha256(('m' || i)::bytea), '{sketch}', CASE WHEN i > 2 THEN now() END
       FROM generate_series(1, 3) i`,
    [owner.accountId],
  );
});
afterAll(() => stopChecked(api));

const getVersion = async () =>
  ((await operator.get('/operator/models')).data as unknown as ModelsView).version;
const look = async (path: string, body?: object) =>
  (body ? await operator.post(path, body) : await operator.get(path)).data as unknown as CheckedDocumentView;
const setPrice = (amounts: Record<string, string>, enabled = true) => [
  { id: 'sketch', enabled, price: { '1k': '0.0300', '2k': '0.0600', ...amounts } },
];
const USERS = { keys: 2, accounts: 1, open_tasks: 1 };

test('a change of prices is shown before it is made: old and new, what is below cost, and who uses the model', async () => {
  const models = setPrice({ '1k': '0.0003', '2k': '0.0190' });
  expect((await look('/operator/models/prices/check', { models })).impact).toEqual([
    {
      model: 'sketch',
      kind: null,
      is_rerouted: false,
      aliases: [],
      ...USERS,
      prices: [
        { offer: '1k', from: '$0.0300', to: '$0.0003', cost: '$0.0100', is_leap: true },
        { offer: '2k', from: '$0.0600', to: '$0.0190', cost: '$0.0200', is_leap: false },
      ],
    },
  ]);
  expect(await look('/operator/models/prices/check', { models: setPrice({}) })).toMatchObject({ impact: [] });
  const { faults } = await look('/operator/models/prices/check', { models: setPrice({ '4k': '1' }) });
  expect(faults).not.toEqual([]);
});

test('taking a model off offer or out of the document shows who uses it, and where its aliases go', async () => {
  const off = await look('/operator/models/prices/check', { models: setPrice({}, false) });
  expect(off.impact).toEqual([
    { model: 'sketch', kind: 'off', is_rerouted: false, prices: [], aliases: [], ...USERS },
  ]);
  const gone = await look('/operator/models/check', { source: `models:\n${WIDE}` });
  expect(gone.impact).toMatchObject([
    { model: 'sketch', kind: 'gone', aliases: [{ alias: 'draft', to: null }], ...USERS },
  ]);
  const source = `${DOCUMENT.replace('    aliases: [draft]\n', '')}${WIDE}  nanobanana: { aliases: [draft] }\n`;
  const { impact } = await look('/operator/models/check', { source });
  expect(impact.find(({ model }) => model === 'sketch')).toMatchObject({
    kind: null,
    aliases: [{ alias: 'draft', to: 'nanobanana' }],
  });
});

test('a price that changes by a factor of ten is applied only with its amount typed again, by every way of the page', async () => {
  const version = await getVersion();
  const models = setPrice({ '1k': '0.0003' });
  const change = (path: string, body: object, retyped?: readonly string[]) =>
    operator.post(`/operator/models/${path}`, { ...body, ...(retyped && { retyped }) });
  for (const retyped of [undefined, [], ['0.0030'], ['0.03'], ['three']]) {
    const { status, error } = await change('prices', { from: version, models }, retyped);
    expect([status, error?.message]).toEqual([400, expect.stringContaining('sketch 1k: $0.0300 → $0.0003')]);
  }
  expect(await getVersion()).toBe(version);
  const source = DOCUMENT.replace('0.0300', '0.0003');
  expect((await change('apply', { from: version, source })).status).toBe(400);
  expect((await change('prices', { from: version, models }, ['$0.000300'])).data).toEqual({
    version: version + 1,
  });
  const rollback = { from: version + 1, to: version };
  expect((await look(`/operator/models/versions/${version}`)).impact).toMatchObject([
    { model: 'sketch', prices: [{ from: '$0.0003', to: '$0.0300', is_leap: true }] },
  ]);
  expect((await change('rollback', rollback)).status).toBe(400);
  expect((await change('rollback', rollback, ['0.03'])).data).toEqual({ version: version + 2 });
});

test('a model gets prices of a further resolution and by quality, and loses prices, with the question before it', async () => {
  const set = (price: object) => [{ id: 'poster', enabled: true, price }];
  const step = (offer: string, from: string | null, to: string | null, cost: string | null = null) => ({
    offer,
    from,
    to,
    cost,
    is_leap: false,
  });
  const change = async (price: object, prices: readonly object[]) => {
    const models = set(price);
    const from = await getVersion();
    expect((await look('/operator/models/prices/check', { models })).impact).toMatchObject([
      { model: 'poster', kind: null, prices },
    ]);
    expect((await operator.post('/operator/models/prices', { from, models })).data).toEqual({
      version: from + 1,
    });
  };
  await change({ '1k': '0.03', '2k': '0.05' }, [step('2k', null, '$0.0500')]);
  await change({ '1k': { low: '0.03', high: '0.03' }, '2k': '0.05' }, [
    step('1k', '$0.0300', null),
    step('1k low', null, '$0.0300'),
    step('1k high', null, '$0.0300', '$0.0400'),
  ]);
  await change({ '1k': { low: '0.03' } }, [step('1k high', '$0.0300', null), step('2k', '$0.0500', null)]);
  const { faults } = await look('/operator/models/prices/check', {
    models: set({ '1k': { low: '0.03', max: '1' } }),
  });
  expect(faults).toEqual([
    {
      path: 'models.poster.price.1k.max',
      message: 'no route offers it for image_generate; possible: low, medium, high',
    },
  ]);
});

test('owners may not ask what a change of prices means', async () => {
  const { status } = await owner.post('/operator/models/prices/check', { models: setPrice({}) });
  expect(status).toBe(403);
});
