import type {
  CheckedDocumentView,
  EditedRoute,
  EditedRoutesView,
  ModelsView,
} from '@image-gateway/shared/catalog/schema';
import { applyCatalog, createTestTask } from '@image-gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestApi } from '../support/start-api.js';
import { type Owner, type Person, startWithPeople, stopChecked, toAccount } from './support/people.js';

const DOCUMENT = `
providers:
  my-gpu: { protocol: openai, base_url: "http://10.0.0.5:8000/v1" }
models:
  sketch:
    price: { 1k: "0.0300" }
    types: [image_generate]
    routes:
      - { provider: gemini, model: g, cost: { 1k: "0.0100" }, timeout: 90, types: [ image_generate ] } # first
`;
const PATH = '/operator/models/routes/sketch';

let api: TestApi;
let operator: Person;
let owner: Owner;
beforeAll(async () => {
  ({ api, operator, owner } = await startWithPeople({
    GEMINI_API_KEY: 'k',
    OPENAI_API_KEY: 'k',
    PROVIDERS: 'openai,gemini,my-gpu',
  }));
});
afterAll(() => stopChecked(api));
beforeEach(() => applyCatalog(api.test, DOCUMENT));

const read = async (id = 'sketch') =>
  (await operator.get(`/operator/models/routes/${id}`)).data as unknown as EditedRoutesView;
const strip = ({ routes }: EditedRoutesView): EditedRoute[] => routes.map(({ other: _, ...route }) => route);
const added = (change: Partial<EditedRoute> = {}): EditedRoute => ({
  place: null,
  provider: 'my-gpu',
  model: 'sd',
  cost: { '1k': '0.0010' },
  weight: null,
  types: ['image_generate', 'image_edit'],
  max_inputs: null,
  image_field: null,
  is_fixed: false,
  ...change,
});
const change = (path: string, body: object) => operator.post(path, body);
const check = async (routes: readonly EditedRoute[], { version }: EditedRoutesView) =>
  (await change(`${PATH}/check`, { from: version, routes })).data as unknown as CheckedDocumentView;
const readNewest = async () =>
  (
    await api.test.pool.query<{ source: string; origin: string; note: string }>(
      'SELECT source, origin, note FROM catalog_versions ORDER BY id DESC LIMIT 1',
    )
  ).rows[0];

describe('the routes of a model', () => {
  test('the routes of a model are added to, moved, changed and removed, and the rest of the document stays as it is written', async () => {
    const first = await read();
    expect(first).toMatchObject({
      is_built_in: false,
      routes: [{ place: 0, provider: 'gemini', other: ['timeout'] }],
    });
    const routes = [added(), ...strip(first)];
    const saved = await change(PATH, { from: first.version, routes });
    expect(saved).toMatchObject({ status: 200, data: { version: first.version + 1 } });
    const second = await read();
    expect(second.routes.map(({ provider, other }) => [provider, other])).toEqual([
      ['my-gpu', []],
      ['gemini', ['timeout']],
    ]);
    const newest = await readNewest();
    expect(newest).toMatchObject({ origin: 'page', note: 'Routes of sketch: my-gpu sd added' });
    expect(newest?.source).toContain(
      '{ provider: gemini, model: g, cost: { 1k: "0.0100" }, timeout: 90, types: [ image_generate ] } # first',
    );
    const [gpu, gemini] = strip(second) as [EditedRoute, EditedRoute];
    const moved = [{ ...gemini, weight: 3, cost: { '1k': '0.02' } }, gpu];
    expect((await change(PATH, { from: second.version, routes: moved })).status).toBe(200);
    expect((await readNewest())?.note).toBe(
      'Routes of sketch: cost, weight of gemini g changed; order changed',
    );
    const third = await read();
    expect(strip(third)).toEqual(moved.map((route, place) => ({ ...route, place })));
    expect((await change(PATH, { from: third.version, routes: strip(third).slice(0, 1) })).status).toBe(200);
    expect(await readNewest()).toMatchObject({
      note: 'Routes of sketch: my-gpu sd removed',
      source: expect.stringContaining('timeout: 90, types: [ image_generate ], weight: 3 } # first'),
    });
  });

  test('the audit log says in words what an operator did to the routes of a model', async () => {
    const first = await read();
    await change(PATH, { from: first.version, routes: [...strip(first), added()] });
    const { data } = await operator.get('/operator/audit?action=catalog.apply');
    const [entry] = (data as { items: { actor: string; detail: { changes: unknown } }[] }).items;
    expect(entry).toMatchObject({
      actor: operator.email,
      detail: { note: 'Routes of sketch: my-gpu sd added' },
    });
    expect(entry?.detail.changes).toEqual(
      expect.arrayContaining([
        { path: 'models.sketch.routes.order', from: ['gemini g'], to: ['gemini g', 'my-gpu sd'] },
        expect.objectContaining({ path: 'models.sketch.routes.my-gpu sd' }),
      ]),
    );
  });

  test('the routes of a built-in model are written out when they change, and its offer and aliases stay', async () => {
    const first = await read('gpt-image');
    expect(first.is_built_in).toBe(true);
    const path = '/operator/models/routes/gpt-image';
    const routes = strip(first).reverse();
    expect((await change(path, { from: first.version, routes })).status).toBe(200);
    const second = await read('gpt-image');
    expect([second.is_built_in, second.routes.map(({ model }) => model)]).toEqual([
      false,
      first.routes.map(({ model }) => model).reverse(),
    ]);
  });

  test('built-in routes are edited in the order in which they are called, so a change of one leaves it', async () => {
    const { routes } = await read('nanobanana');
    const { models } = (await operator.get('/operator/models')).data as unknown as ModelsView;
    const called = models.find(({ id }) => id === 'nanobanana')?.routes ?? [];
    expect(routes.map(({ model }) => model)).toEqual(called.map(({ model }) => model));
    expect([routes[0]?.provider, routes[0]?.place]).toEqual(['openai', 8]);
  });

  test('a change of routes is shown before it is made: what changes, what is below cost from then on, and the open tasks', async () => {
    const first = await read();
    const { version } = (await operator.get('/operator/models')).data as { version: number };
    await createTestTask(api.test.db, toAccount(owner), {
      request: { model: 'sketch' },
      price: { unitMicros: 30_000n, catalogVersion: version },
    });
    const [gemini] = strip(first) as [EditedRoute];
    const judged = await check([{ ...gemini, cost: { '1k': '0.0500' } }], first);
    expect(judged).toMatchObject({
      faults: [],
      changes: [{ path: 'models.sketch.routes.gemini g.cost.1k', message: '$0.0100 → $0.0500' }],
      impact: [
        {
          model: 'sketch',
          kind: null,
          is_rerouted: true,
          open_tasks: 1,
          prices: [{ offer: '1k', from: '$0.0300', to: '$0.0300', cost: '$0.0500', is_leap: false }],
        },
      ],
    });
    expect(await check([gemini], first)).toMatchObject({ changes: [], impact: [] });
    expect((await read()).version).toBe(first.version);
  });

  test.each([
    ['an unknown provider', { provider: 'nobody' }, 'provider', /unknown provider "nobody"; possible: /],
    ['no upstream model', { model: '' }, 'model', /empty/],
    ['a cost that is no amount', { cost: { '1k': '1 cent' } }, 'cost.1k', /must be dollars/],
    ['no cost', { cost: {} }, 'cost', /at least 1 key/],
    ['a weight of nothing', { weight: 0 }, 'weight', /greater than 0/],
    ['no type', { types: [] }, 'types', /at least 1/],
  ])('a change of routes is refused with its fault at the field: %s', async (_, wrong, field, message) => {
    const first = await read();
    const routes = [...strip(first), added(wrong)];
    const fault = { path: `models.sketch.routes.1.${field}`, message: expect.stringMatching(message) };
    expect((await check(routes, first)).faults).toContainEqual(fault);
    const { status, error } = await change(PATH, { from: first.version, routes });
    expect([status, error?.message]).toEqual([400, expect.stringContaining(`sketch.routes.1.${field}: `)]);
    expect((await read()).version).toBe(first.version);
  });

  test('a change of routes is refused that leaves something on offer without a route, or names a route that is not there', async () => {
    const first = await read();
    const [gemini] = strip(first) as [EditedRoute];
    const refused = async (routes: readonly EditedRoute[]) => (await check(routes, first)).faults;
    expect(await refused([])).not.toEqual([]);
    expect(await refused([{ ...gemini, cost: { '2k': '0.01' } }])).toMatchObject([
      { path: 'models.sketch.price.1k', message: 'no route offers it for image_generate; possible: 2k' },
    ]);
    const gone = 'is no route of the version, or stands here twice';
    expect(await refused([gemini, { ...gemini, place: 7 }])).toEqual([
      { path: 'models.sketch.routes.1', message: gone },
    ]);
    expect(await refused([gemini, gemini])).toMatchObject([{ message: gone }, { message: gone }]);
    expect((await operator.get('/operator/models/routes/nobody')).status).toBe(404);
    const body = { from: first.version, routes: [gemini] };
    expect((await change('/operator/models/routes/nobody', body)).status).toBe(404);
  });

  test('a change of routes from a version that is no longer the newest is refused, and so is a look at it', async () => {
    const first = await read();
    const routes = [...strip(first), added()];
    const body = { from: first.version, routes };
    expect((await change(PATH, body)).status).toBe(200);
    for (const path of [PATH, `${PATH}/check`]) {
      expect(await change(path, body)).toMatchObject({
        status: 409,
        error: { message: expect.stringContaining(String(first.version + 1)) },
      });
    }
    expect((await read()).routes).toHaveLength(2);
  });
});
