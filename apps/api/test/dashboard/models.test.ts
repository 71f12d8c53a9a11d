import type { ModelsView } from '@image-gateway/shared/catalog/schema';
import type { ManagedProvidersView } from '@image-gateway/shared/provider/schema';
import type { DashboardSession } from '@image-gateway/shared/user/schema';
import { applyCatalog, eventually, reportWorker } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from '../support/finish-task.js';
import { startApi, type TestApi } from '../support/start-api.js';
import {
  newOperator,
  type Owner,
  type Person,
  startWithPeople,
  stopChecked,
  toAccount,
} from './support/people.js';

const GPU = `# ours
providers:
  my-gpu: { protocol: openai, base_url: "http://10.0.0.5:8000/s3cret-path/v1", key_env: MY_GPU_KEYS }
models:
  sketch:
    price: { 1k: "0.0300" } # cheap
    routes: [{ provider: my-gpu, model: sd, cost: { 1k: "0.0100" } }]
`;
const SECRETS = { GEMINI_API_KEY: 's3cret-gemini', MY_GPU_KEYS: 's3cret-gpu' };

let api: TestApi;
let operator: Person;
let owner: Owner;
beforeAll(async () => {
  ({ api, operator, owner } = await startWithPeople(SECRETS));
  await applyCatalog(api.test, GPU);
});
afterAll(() => stopChecked(api));

const view = async (): Promise<ModelsView> =>
  (await operator.get('/operator/models')).data as unknown as ModelsView;
const listProviders = async () =>
  ((await operator.get('/operator/models/providers')).data as unknown as ManagedProvidersView).providers;
const find = async (id: string) => (await view()).models.find((model) => model.id === id);
const readSource = async () =>
  (
    await api.test.pool.query<{ source: string; origin: string; createdBy: string }>(
      'SELECT source, origin, created_by AS "createdBy" FROM catalog_versions ORDER BY id DESC LIMIT 1',
    )
  ).rows[0];

describe('the page of models', () => {
  test('the page of models shows price, cheapest cost and margin, the health of each route, and what is sold below cost', async () => {
    const standing = { pausedMs: {}, setAside: false, keysSetAside: [], running: 2 };
    await reportWorker(api.test, {
      candidates: [{ provider: 'my-gpu', model: 'sd', circuit: 'open', ...standing }],
    });
    expect(await find('sketch')).toMatchObject({
      is_offered: true,
      prices: [
        { resolution: '1k', price: '$0.0300', cost: '$0.0100', cheapest: 'my-gpu sd', margin: '$0.0200' },
      ],
      routes: [{ provider: 'my-gpu', in_use: true, circuit: 'open', running: 2 }],
    });
    const { models, warnings, providers_in_use } = await view();
    expect(providers_in_use).toEqual(['gemini', 'my-gpu']);
    expect(models.find(({ id }) => id === 'nanobanana')).toMatchObject({ family: 'nano-banana' });
    expect(models.find(({ id }) => id === 'nanobanana')?.prices[0]).toMatchObject({ margin: '-$0.0236' });
    expect(warnings.map(({ path }) => path)).toContain('models.nanobanana.price.1k');
    await eventually(() =>
      expect(api.lines.filter((line) => line.includes('sold below cost')).join()).toMatch(
        /nanobanana\.price\.1k: sold below cost: \$0\.0100 an image, .*costs \$0\.0336/,
      ),
    );
  });

  test('the page of models shows an instance with the generation workers that do not call it, and counts the routes that any of them calls', async () => {
    const report = (id: string, providers: string[]) =>
      reportWorker(api.test, { providers }, { id, host: id, pid: 7 });
    await Promise.all([report('with-key', ['openai', 'my-gpu']), report('without', ['openai'])]);
    const shown = await view();
    expect((await listProviders()).at(-1)).toMatchObject({
      name: 'my-gpu',
      unused_by: ['without, process 7'],
    });
    expect(shown.providers_in_use).toEqual(['my-gpu', 'openai']);
    await api.test.pool.query("DELETE FROM worker_reports WHERE id <> 'w1'");
  });

  test('every page says which models only the sandbox draws, to those who have logged in', async () => {
    const own = await startApi({
      AUTH_SECRET: 'x'.repeat(32),
      PROVIDERS: '',
      SANDBOX_FALLBACK: 'true',
      MY_GPU_KEYS: 'k',
    });
    try {
      const person = await newOperator(own);
      const read = async () => ((await person.get('/session')).data as unknown as DashboardSession).sandbox;
      expect(await read()).toEqual({ models: ['nanobanana'], draws_all: true });
      await applyCatalog(own.test, GPU);
      await eventually(async () =>
        expect(await read()).toEqual({ models: ['nanobanana'], draws_all: false }),
      );
      expect((await own.call('/dashboard/api/session')).json.data).toMatchObject({ sandbox: null });
    } finally {
      await own.stop();
    }
    expect((await operator.get('/session')).data).toMatchObject({ sandbox: null });
  });

  test('the page of models shows what a model brought in 30 days: charged, without refunds, less the cost of its calls', async () => {
    const account = toAccount(owner);
    const price = { unitMicros: 10_000n, catalogVersion: (await view()).version };
    const [first, second] = [
      await finishTask(api, account, { price }),
      await finishTask(api, account, { price }),
    ];
    await operator.post(`/operator/tasks/${second.id}/refund`, { reason: 'test' });
    await api.test.pool.query(
      `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, cost_micros, finished_at)
       VALUES ('call_m', $1, 1, 'gemini', 'm', 1, '{0}', 'succeeded', 33600, now())`,
      [first.id],
    );
    await api.test.pool.query('SELECT recount()');
    await api.test.pool
      .query('UPDATE tasks SET call_count = 1 WHERE id = $1', [first.id])
      .catch(() => undefined);
    const { data } = await operator.get('/operator/models/margins');
    expect(data).toEqual([
      {
        model: 'nanobanana',
        images: 2,
        revenue: '$0.0100',
        cost: '$0.0336',
        margin: '-$0.0236',
      },
    ]);
  });

  test('what the sandbox drew is a sale and no margin on every page', async () => {
    const own = await startApi({ AUTH_SECRET: 'x'.repeat(32) });
    try {
      const [person, account] = [await newOperator(own), await own.account()];
      const price = { unitMicros: 10_000n, catalogVersion: await applyCatalog(own.test, '') };
      for (const [index, provider] of ['sandbox', 'gemini', 'sandbox', 'sandbox'].entries()) {
        const { id } = await finishTask(own, account, { price });
        await own.test.pool.query(
          `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, cost_micros, finished_at)
           VALUES ($2, $1, 1, $3, 'm', 1, '{0}', 'succeeded', $4, now())`,
          [id, `call_s${index}`, provider, provider === 'gemini' ? 4_000 : 0],
        );
      }
      await own.test.pool.query('SELECT recount()');
      const read = async (path: string) => (await person.get(path)).data;
      const money = { cost: '$0.0040', margin: '$0.0060' };
      expect(await read('/operator/models/margins')).toMatchObject([{ ...money, revenue: '$0.0400' }]);
      expect(await read('/operator/providers?hours=1')).toMatchObject({
        ...money,
        revenue: '$0.0400',
        sandbox: '$0.0300',
      });
      expect(await read('/operator/status?span=day')).toMatchObject({
        whole: { ...money, charged: '$0.0400', sandbox: '$0.0300' },
      });
    } finally {
      await own.stop();
    }
  });

  test('the page of models shows margins by quality, which add up to what the ledger and the calls say', async () => {
    const own = await startApi({ AUTH_SECRET: 'x'.repeat(32), ...SECRETS });
    try {
      const catalogVersion = await applyCatalog(own.test, '');
      const [person, account] = [await newOperator(own), await own.account()];
      const finish = (quality: 'low' | 'high', unitMicros: bigint) =>
        finishTask(own, account, {
          request: { model: 'gpt-image', quality },
          price: { unitMicros, catalogVersion },
        });
      const [, high, refunded] = [
        await finish('low', 4_300n),
        await finish('high', 9_500n),
        await finish('high', 9_500n),
      ];
      await person.post(`/operator/tasks/${refunded.id}/refund`, { reason: 'test' });
      await own.test.pool.query(
        `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, cost_micros, finished_at)
         VALUES ('call_q', $1, 1, 'openai', 'm', 1, '{0}', 'succeeded', 32000, now())`,
        [high.id],
      );
      await own.test.pool.query('SELECT recount()');
      expect((await person.get('/operator/models/margins')).data).toEqual([
        {
          model: 'gpt-image',
          images: 3,
          revenue: '$0.0138',
          cost: '$0.0320',
          margin: '-$0.0182',
          qualities: [
            { quality: 'low', images: 1, revenue: '$0.0043', cost: '$0.00', margin: '$0.0043' },
            { quality: 'high', images: 2, revenue: '$0.0095', cost: '$0.0320', margin: '-$0.0225' },
          ],
        },
      ]);
    } finally {
      await own.stop();
    }
  });

  test('the page of models never shows a key, an address behind its host, or the providers of the document', async () => {
    const { source } = await view();
    expect((await listProviders()).at(-1)).toMatchObject({
      name: 'my-gpu',
      protocol: 'openai',
      address: '10.0.0.5:8000',
      key_variable: 'MY_GPU_KEYS',
      unused_by: [],
    });
    expect((await operator.get('/operator/models/providers')).text).not.toContain('s3cret');
    expect(source).toContain('# cheap');
    expect((await operator.get('/operator/models')).text).not.toContain('s3cret');
    const bad = `${GPU}  broken: {}\n`;
    expect((await operator.post('/operator/models/check', { source: bad })).text).not.toContain('s3cret');
  });

  test('cannot change providers: not in the document, not by a rollback', async () => {
    const { version } = await view();
    const stolen = GPU.replace('10.0.0.5:8000', 'attacker.example');
    for (const source of [stolen, 'providers: {}', '{"providers": {}, "models": {}}']) {
      const applied = await operator.post('/operator/models/apply', { from: version, source });
      expect([applied.status, applied.error?.message]).toEqual([
        400,
        expect.stringMatching(/^providers: are changed by catalog apply and CATALOG_FILE only/),
      ]);
    }
    const { status, error } = await operator.post('/operator/models/rollback', { from: version, to: 1 });
    expect([status, error?.message]).toEqual([403, expect.stringContaining('catalog rollback 1')]);
    expect((await view()).version).toBe(version);
  });

  test('changes prices and switches in the document, keeps the rest, and says who did it', async () => {
    const { version } = await view();
    const models = [{ id: 'sketch', enabled: false, price: { '1k': '0.0450' } }];
    const changed = await operator.post('/operator/models/prices', { from: version, models });
    expect(changed.data).toEqual({ version: version + 1 });
    expect(await readSource()).toEqual({
      origin: 'page',
      createdBy: operator.email,
      source: expect.stringMatching(/# ours[\s\S]*s3cret-path[\s\S]*0\.0450[\s\S]*sd/),
    });
    expect(await find('sketch')).toMatchObject({ enabled: false, is_offered: false });
    const { data } = await operator.get(
      `/operator/audit?subject=${encodeURIComponent(`catalog ${version + 1}`)}`,
    );
    expect(data).toMatchObject({ items: [{ action: 'catalog.apply', actor: operator.email }] });
  });

  test('checks a document: every fault at once, or the difference, and applies it', async () => {
    const { version, source } = await view();
    const faulty = await operator.post('/operator/models/check', {
      source: `${source}  a: { colour: red }\n  b: { price: { 1k: "0" } }\n`,
    });
    expect((faulty.data as { faults: { path: string }[] }).faults.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['models.a.colour', 'models.b.price.1k']),
    );
    const next = source.replace('0.0450', '0.0500');
    expect((await operator.post('/operator/models/check', { source: next })).data).toMatchObject({
      faults: [],
      changes: [{ path: 'models.sketch.price.1k', message: '$0.0450 → $0.0500' }],
    });
    const applied = await operator.post('/operator/models/apply', {
      from: version,
      source: next,
      note: 'dearer',
    });
    expect([applied.status, applied.error, applied.data]).toEqual([200, null, { version: version + 1 }]);
    expect((await view()).versions[0]).toMatchObject({
      version: version + 1,
      origin: 'page',
      note: 'dearer',
    });
    expect((await listProviders()).at(-1)?.name).toBe('my-gpu');
    const back = await operator.post('/operator/models/rollback', { from: version + 1, to: version });
    expect(back.data).toEqual({ version: version + 2 });
    expect((await find('sketch'))?.prices[0]?.price).toBe('$0.0450');
  });

  test('the page of models drafts a new model, which changes nothing before it is applied', async () => {
    const { version } = await view();
    const draft = {
      id: 'flux-new',
      name: 'FLUX',
      provider: 'my-gpu',
      model: 'flux.1',
      types: ['image_generate'],
      aspect_ratios: ['1:1'],
      max_inputs: null,
      image_field: null,
      is_fixed: true,
      price: { '1k': '0.0200' },
      cost: { '1k': '0.0100' },
    };
    const { data } = await operator.post('/operator/models/draft', draft);
    const drafted = data as { from: number; source: string; lines: string };
    expect(drafted.from).toBe(version);
    expect(drafted.lines).toContain('flux-new:\n  name: FLUX');
    expect(drafted.source).not.toContain('my-gpu:');
    expect([(await view()).version, await find('flux-new')]).toEqual([version, undefined]);
    const { data: checked } = await operator.post('/operator/models/check', { source: drafted.source });
    expect(checked).toMatchObject({ faults: [], changes: [{ path: 'models.flux-new' }] });
    const from = { from: drafted.from, source: drafted.source };
    expect((await operator.post('/operator/models/apply', from)).data).toEqual({ version: version + 1 });
    expect(await find('flux-new')).toMatchObject({ prices: [{ price: '$0.0200', cost: '$0.0100' }] });
    const again = await operator.post('/operator/models/draft', draft);
    expect([again.status, again.error?.message]).toEqual([
      400,
      'models.flux-new: is a model of the catalog already',
    ]);
    const noShape = await operator.post('/operator/models/draft', { ...draft, aspect_ratios: [] });
    expect(noShape.error?.message).toBe('Choose at least one shape.');
  });

  test('the page of models is 409 when another version came in between, and changes nothing', async () => {
    const { version, source } = await view();
    const models = [{ id: 'sketch', enabled: true, price: { '1k': '0.0900' } }];
    for (const [path, body] of [
      ['apply', { source: `${source}\n` }],
      ['prices', { models }],
      ['rollback', { to: version }],
    ] as const) {
      const { status, error } = await operator.post(`/operator/models/${path}`, {
        from: version - 1,
        ...body,
      });
      expect([path, status, error?.message]).toEqual([
        path,
        409,
        expect.stringContaining(
          `from catalog version ${version - 1}, and version ${version} came in between`,
        ),
      ]);
    }
    const both = await Promise.all(
      ['0.0600', '0.0700'].map((price) =>
        operator.post('/operator/models/prices', {
          from: version,
          models: [{ id: 'sketch', enabled: true, price: { '1k': price } }],
        }),
      ),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});
