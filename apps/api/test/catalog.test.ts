import { applyCatalog, checkInvariants, eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestApi } from './support/start-api.js';

const FLUX = `
  flux:
    types: [image_generate]
    price: { 1k: "0.0040", 2k: "0.0080" }
    default_resolution: 2k
    aspect_ratios: ["1:1", "21:9"]
    max_outputs: 2
    routes: [{ provider: openai, model: flux, cost: { 1k: "0", 2k: "0" } }]
  painter:
    types: [image_edit]
    price: { 1k: "0.01" }
    max_inputs: 3
    routes:
      - { provider: openai, model: wide, cost: { 1k: "0" }, max_inputs: 3, sizes: { "16:9": { 1k: 1344x768 } } }
      - { provider: openai, model: tall, cost: { 1k: "0" }, max_inputs: 1, sizes: { "9:16": { 1k: 768x1344 } } }
`;

const OPENAI_ACCEPTS = {
  output_format: ['png', 'jpeg', 'webp'],
  background: ['opaque', 'transparent'],
  mask: true,
};

let api: TestApi;
let account: TestAccount;
beforeAll(async () => {
  api = await startApi();
  account = await api.account({ balanceMicros: 1_000_000_000n });
});
afterAll(async () => {
  await checkInvariants(api.test.pool, 'live');
  await api.stop();
});

const submit = (body: object, headers: Record<string, string> = {}) =>
  api.call('/v1/generate', { as: account, headers, body: { model: 'nanobanana', prompt: 'a fox', ...body } });
const findTask = async (id: string) => {
  const { rows } = await api.test.pool.query<{
    unit: string;
    version: number;
    resolution: string;
    ratio: string;
  }>(
    `SELECT unit_micros AS unit, catalog_version AS version, resolution, aspect_ratio AS ratio FROM tasks WHERE id = $1`,
    [id],
  );
  return rows[0];
};
/** Applies models and waits until the API uses them. */
const apply = async (models: string): Promise<number> => {
  const version = await applyCatalog(api.test, `models:\n${models}`);
  await eventually(() => {
    const active = api.lines.some(
      (line) => line.includes('catalog active') && line.includes(`"version":${version}`),
    );
    expect(active).toBe(true);
  });
  return version;
};

test('the price of a submit is that of the active version, which the task names', async () => {
  const before = await submit({});
  expect(await findTask(before.json.data.id)).toMatchObject({ unit: '10000', version: 1 });
  const version = await apply('  nanobanana: { price: { 1k: "0.05", 2k: "0.06", 4k: "0.07" } }');
  const after = await submit({ resolution: '4k' });
  expect(await findTask(after.json.data.id)).toMatchObject({ unit: '70000', version });
  expect(await findTask(before.json.data.id)).toMatchObject({ unit: '10000', version: 1 });
});

test('ENABLED_MODELS with an unknown name is reported at start with the known ones, and the lists take models of former versions', async () => {
  const other = await startApi({ ENABLED_MODELS: 'nanobanana,nano-banana' });
  try {
    const owner = await other.account();
    await eventually(() =>
      expect(other.lines.join()).toContain(
        'ENABLED_MODELS names nano-banana, not in the catalog; known models: nanobanana, nanobanana-pro',
      ),
    );
    const list = async (model: string) =>
      (await other.call(`/v1/tasks?model=${model}`, { as: owner })).status;
    await applyCatalog(other.test, `models:\n${FLUX}`);
    await applyCatalog(other.test, '');
    await eventually(() => expect(other.lines.join()).toContain('"version":3'));
    await eventually(async () => expect([await list('flux'), await list('never')]).toEqual([200, 400]));
  } finally {
    await other.stop();
  }
});

test('a new model is judged by what it offers, before any money is held', async () => {
  expect((await submit({ model: 'flux' })).status).toBe(400);
  const version = await apply(FLUX);
  const { status, json } = await submit({ model: 'flux' });
  expect(status).toBe(202);
  expect(await findTask(json.data.id)).toEqual({ unit: '8000', version, resolution: '2k', ratio: '1:1' });
  const held = async () =>
    (await api.test.pool.query('SELECT held_micros FROM accounts WHERE id = $1', [account.id])).rows;
  const before = await held();
  for (const [body, message] of [
    [{ model: 'flux', resolution: '4k' }, 'resolution must be one of "1k", "2k".'],
    [{ model: 'flux', aspect_ratio: '16:9' }, 'aspect_ratio must be one of "1:1", "21:9".'],
    [{ model: 'flux', num_outputs: 3 }, 'num_outputs must be an integer from 1 to 2.'],
    [
      { model: 'flux', image_urls: ['https://a.example/x.png'] },
      'image_urls must be absent: this model takes no input images.',
    ],
    [{ model: 'painter' }, 'image_urls must be a list of 1 to 3 URLs: painter only edits images.'],
    [
      { model: 'painter', aspect_ratio: '9:16', image_urls: ['https://a.example/1', 'https://a.example/2'] },
      'image_urls must be a list of 1 to 1 URLs for 9:16 at 1k with painter.',
    ],
    [{ aspect_ratio: '1:1' }, 'aspect_ratio must be one of "16:9", "9:16".'],
    [{ model: 'other' }, 'model must be one of "nanobanana", "flux", "painter".'],
  ] as const) {
    expect((await submit(body)).json.error).toEqual({ code: 'VALIDATION_ERROR', message });
  }
  expect(await held()).toEqual(before);
});

test('a replayed Idempotency-Key gets its task although its model was switched off meanwhile', async () => {
  await apply(FLUX);
  const headers = { 'idempotency-key': 'before-the-switch' };
  const first = await submit({ model: 'flux' }, headers);
  expect(first.status).toBe(202);
  await apply(`${FLUX}  nanobanana: { enabled: true }`.replace('  flux:\n', '  flux:\n    enabled: false\n'));
  const again = await submit({ model: 'flux' }, headers);
  expect([again.status, again.headers.get('idempotent-replayed'), again.text]).toEqual([
    202,
    'true',
    first.text,
  ]);
  const other = await submit({ model: 'flux', prompt: 'another' }, headers);
  expect([other.status, other.json.error.code]).toEqual([400, 'BAD_REQUEST']);
  const fresh = await submit({ model: 'flux' }, { 'idempotency-key': 'after-the-switch' });
  expect([fresh.status, fresh.json.error.code]).toEqual([400, 'VALIDATION_ERROR']);
});

test('the OpenAPI document follows the catalog', async () => {
  await apply(FLUX);
  const { text } = await api.call('/v1/openapi.json');
  const { components } = JSON.parse(text) as {
    components: { schemas: { GenerateRequest: { properties: { model: { examples: string[] } } } } };
  };
  expect(components.schemas.GenerateRequest.properties.model.examples).toEqual([
    'nanobanana',
    'flux',
    'painter',
  ]);
});

test('a broken newest version harms nobody', async () => {
  const version = await apply('  nanobanana: { price: { 1k: "0.02", 2k: "0.02", 4k: "0.02" } }');
  const broken = version + 1;
  await api.test.pool.query(
    `INSERT INTO catalog_versions (id, source, document, digest, origin, created_at)
     VALUES ($1, 'x', '{"models": 5}', encode(sha256('x'), 'hex'), 'cli', now() - interval '1 minute')`,
    [broken],
  );
  await eventually(() => {
    expect(
      api.lines.some((line) => line.includes('cannot be read') && line.includes(`"version":${broken}`)),
    ).toBe(true);
  });
  await eventually(async () => {
    const { status, json } = await submit({});
    expect(status).toBe(202);
    expect(await findTask(json.data.id)).toMatchObject({ unit: '20000', version });
  });
});

test('GET /v1/models lists the enabled models of the active version with their prices', async () => {
  await apply(
    `${FLUX}  hidden: { enabled: false, price: { 1k: "1" }, routes: [{ provider: fal, model: h, cost: { 1k: "0" } }] }`,
  );
  const { status, json } = await api.call('/v1/models', { as: account });
  expect(status).toBe(200);
  expect(json).toEqual({
    data: [
      {
        id: 'nanobanana',
        name: 'Nano Banana',
        family: 'nano-banana',
        types: ['image_generate', 'image_edit'],
        price: { '1k': '$0.0100', '2k': '$0.0100', '4k': '$0.0100' },
        aspect_ratios: ['16:9', '9:16'],
        max_inputs: 9,
        max_outputs: 4,
        accepts: {
          seed: 2_147_483_647,
          output_format: ['png', 'jpeg', 'webp'],
          background: ['opaque', 'transparent'],
          mask: true,
        },
      },
      {
        id: 'flux',
        name: 'flux',
        types: ['image_generate'],
        price: { '1k': '$0.0040', '2k': '$0.0080' },
        aspect_ratios: ['1:1', '21:9'],
        max_inputs: 9,
        max_outputs: 2,
        accepts: OPENAI_ACCEPTS,
      },
      {
        id: 'painter',
        name: 'painter',
        types: ['image_edit'],
        price: { '1k': '$0.0100' },
        aspect_ratios: ['16:9', '9:16'],
        max_inputs: 3,
        max_outputs: 4,
        accepts: OPENAI_ACCEPTS,
      },
    ],
    error: null,
  });
  expect((await api.call('/v1/models')).status).toBe(401);
});

test('a model with prices by quality shows them all, and a request without a quality pays for medium', async () => {
  const version = await apply(`
  sketch:
    types: [image_generate]
    price: { 1k: { low: "0.002", medium: "0.007", high: "0.09" }, 2k: "0.05" }
    routes: [{ provider: openai, model: s, cost: { 1k: { low: "0.001", medium: "0.005", high: "0.08" }, 2k: "0" } }]`);
  const { json } = await api.call('/v1/models', { as: account });
  const models = json.data as unknown as readonly { readonly id: string }[];
  expect(models.find(({ id }) => id === 'sketch')).toMatchObject({
    price: { '1k': '$0.0070', '2k': '$0.0500' },
    prices: { '1k': { low: '$0.0020', medium: '$0.0070', high: '$0.0900' } },
    accepts: { ...OPENAI_ACCEPTS, quality: ['low', 'medium', 'high'] },
  });
  const body = { model: 'sketch', prompt: 'a fox', aspect_ratio: '16:9', resolution: '1k' };
  const quoted = await api.call('/v1/quote', { as: account, body });
  expect(quoted.json.data).toMatchObject({ unit_cost: '$0.0070' });
  const submitted = await api.call('/v1/generate', { as: account, body });
  expect(submitted.status).toBe(202);
  expect(await findTask(submitted.json.data.id)).toMatchObject({ unit: '7000', version });
});
