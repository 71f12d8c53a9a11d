import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, reportWorker, type TestDatabase } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rollbackModels, setPrices } from '../../src/catalog/page/change-models.js';
import { runCommand } from './support/run-command.js';

interface Changed {
  readonly version: number;
  readonly from: number;
  readonly changes: readonly { readonly path: string; readonly from?: unknown; readonly to?: unknown }[];
  readonly ok?: boolean;
  readonly undone?: Changed['changes'];
  readonly compared?: boolean;
  readonly waiting_models: readonly string[];
  readonly sandbox_models: readonly string[];
}

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-'));
});
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.close());
afterAll(() => rm(folder, { recursive: true }));

const run = <T = Changed>(...args: string[]) =>
  runCommand<T>({ env: { DATABASE_URL: database.url, GEMINI_API_KEY: 'k' } }, 'catalog', ...args);
const save = async (source: string): Promise<string> => {
  const file = join(folder, 'catalog.yaml');
  await writeFile(file, source);
  return file;
};
const getNewest = async () => (await run<Changed>('show')).value.version;
const getPrice = async (id: string) => {
  const { value } = await run<{
    document: { models: Record<string, { price: unknown; enabled?: boolean }> };
  }>('show');
  return value.document.models[id];
};
const pricePage = async (price: string) =>
  setPrices(database.db, {
    from: await getNewest(),
    actor: 'operator@example.com',
    models: [{ id: 'nanobanana', enabled: true, price: { '1k': price, '2k': '0.09', '4k': '0.09' } }],
  });

// Adds a model, and says nothing of nanobanana.
const SKETCH = `
providers: { gem-eu: { protocol: gemini, base_url: "http://127.0.0.1:9", key_env: GEM_EU_KEYS } }
models:
  sketch:
    price: { 1k: "0.06" }
    aliases: [draft]
    types: [image_generate]
    routes: [{ provider: gem-eu, model: g, cost: { 1k: "0.04" } }]
`;

describe('changes of the catalog', () => {
  test('check and apply print every price, model, instance and alias that changes, from and to', async () => {
    await run('apply', await save(SKETCH));
    const next = SKETCH.replace('"0.06"', '"0.0700"').replace('[draft]', '[draft, scribble]');
    const expected = [
      { path: 'models.sketch.price.1k', from: '$0.0600', to: '$0.0700' },
      { path: 'models.sketch.aliases', from: ['draft'], to: ['draft', 'scribble'] },
    ];
    const checked = await run('check', await save(next));
    expect(checked.value).toMatchObject({ compared: true, changes: expected, undone: [] });
    expect((await run('apply', await save(next))).value.changes).toEqual(expected);
    // The same amounts written in another way are no change.
    const { value } = await run('apply', await save(next.replace('"0.0700"', '"0.07"')));
    expect(value.changes).toEqual([]);
    const { value: emptied } = await run('apply', await save('models: {}'));
    expect(emptied.changes).toEqual(
      expect.arrayContaining([
        { path: 'providers.gem-eu', from: expect.objectContaining({ key_env: 'GEM_EU_KEYS' }) },
        { path: 'models.sketch', from: expect.objectContaining({ price: { '1k': '$0.0700' } }) },
      ]),
    );
    expect(emptied.changes).toHaveLength(2);
  });

  test('a route keeps its name when another one is put before it', async () => {
    const route = (model: string, cost: string) =>
      `{ provider: gemini, model: ${model}, cost: { 1k: "${cost}" } }`;
    const document = (...routes: string[]) =>
      `models: { sketch: { price: { 1k: "0.06" }, routes: [${routes.join(', ')}] } }`;
    await run('apply', await save(document(route('a', '0.01'))));
    const { value } = await run('apply', await save(document(route('b', '0.02'), route('a', '0.03'))));
    expect(value.changes).toEqual([
      { path: 'models.sketch.routes.gemini a.cost.1k', from: '$0.0100', to: '$0.0300' },
      { path: 'models.sketch.routes.order', from: ['gemini a'], to: ['gemini b', 'gemini a'] },
      { path: 'models.sketch.routes.gemini b', to: expect.objectContaining({ model: 'b' }) },
    ]);
  });

  test('check says that it compared nothing where no database can be reached', async () => {
    const { code, value } = await runCommand<Changed>(
      { env: { DATABASE_URL: 'postgresql://127.0.0.1:9/none' } },
      'catalog',
      'check',
      await save(SKETCH),
    );
    expect([code, value.compared, value.changes]).toEqual([0, false, undefined]);
  });

  test.each([
    ['a price of the page', async () => void (await pricePage('0.05'))],
    ['set-price', async () => void (await run('set-price', 'nanobanana', '1k', '0.05'))],
  ])('apply refuses a file that would take back %s, names it, and changes nothing', async (_name, change) => {
    const before = (await getPrice('nanobanana'))?.price;
    await change();
    const newest = await getNewest();
    const file = await save(SKETCH);
    const { code, value } = await run('apply', file);
    expect([code, value.error?.code]).toEqual([1, 'BAD_REQUEST']);
    expect(value.error?.message).toContain('models.nanobanana.price.1k: $0.0500 → $0.0100');
    expect(value.error?.message).toContain(`--base ${newest}`);
    expect(await getNewest()).toBe(newest);
    const checked = await run('check', file);
    // As apply does.
    expect([checked.code, checked.value.ok]).toEqual([1, false]);
    expect(checked.value.undone).toContainEqual({
      path: 'models.nanobanana.price.1k',
      from: '$0.0500',
      to: '$0.0100',
    });
    expect((await run('apply', file, '--base', String(newest - 1))).code).toBe(1);
    expect((await run('apply', file, '--base', String(newest))).value.version).toBe(newest + 1);
    expect((await getPrice('nanobanana'))?.price).toEqual(before);
    // The file is the last document now: it takes nothing back.
    expect((await run('apply', file)).code).toBe(0);
  });

  test('apply takes back changes by hand with --replace, and a file that has their values needs nothing', async () => {
    await run('disable', 'nanobanana');
    const off = 'models: { nanobanana: { enabled: false } }';
    expect((await run('apply', await save(off))).code).toBe(0);
    await run('enable', 'nanobanana');
    expect((await run('apply', await save(off))).code).toBe(1);
    expect((await run('apply', await save(off), '--replace')).code).toBe(0);
    expect((await getPrice('nanobanana'))?.enabled).toBe(false);
  });

  test('a rollback on the page is a document: what came before it is not defended any more', async () => {
    const first = await getNewest();
    await pricePage('0.05');
    await rollbackModels(database.db, { from: await getNewest(), to: first, actor: 'o@example.com' });
    expect((await run('apply', await save('models: {}'))).code).toBe(0);
  });

  test('a later change by hand counts, not the one that it replaced, also around a version of the release', async () => {
    await pricePage('0.05');
    await database.pool.query(
      `INSERT INTO catalog_versions (id, source, document, digest, origin)
       SELECT id + 1, source, document, digest, 'built-in' FROM catalog_versions ORDER BY id DESC LIMIT 1`,
    );
    await pricePage('0.07');
    const file = await save('models: { nanobanana: { price: { 1k: "0.07", 2k: "0.09", 4k: "0.09" } } }');
    expect((await run('apply', file)).code).toBe(0);
  });

  test('set-price changes one price in the document, with quality too, and keeps the rest and its comments', async () => {
    await run('apply', await save(`# ours\n${SKETCH}`));
    const { value } = await run('set-price', 'sketch', '1k', '0.065');
    expect(value.changes).toEqual([{ path: 'models.sketch.price.1k', from: '$0.0600', to: '$0.0650' }]);
    const shown = (await run<{ origin: string; source: string }>('show')).value;
    expect(shown).toMatchObject({ origin: 'edit', source: expect.stringMatching(/# ours[\s\S]*draft/) });
    expect((await run('set-price', 'gpt-image', '1k/high', '0.09')).value.changes).toEqual([
      { path: 'models.gpt-image.price.1k.high', from: expect.any(String), to: '$0.0900' },
    ]);
    for (const [args, code, message] of [
      [['gpt-image', '1k', '0.3'], 'VALIDATION_ERROR', '1k/low'],
      [['sketch', '1k/high', '0.3'], 'VALIDATION_ERROR', 'Leave the quality out'],
      [['sketch', '8k', '0.3'], 'VALIDATION_ERROR', 'no offer'],
      [['sketch', '4k', '0.3'], 'VALIDATION_ERROR', 'models.sketch.price.4k'],
      [['sketch', '1k', '-1'], 'VALIDATION_ERROR', 'amount'],
      [['none', '1k', '0.3'], 'NOT_FOUND', 'no model none'],
    ] as const) {
      const refused = await run('set-price', ...args);
      expect([refused.code, refused.value.error?.code]).toEqual([1, code]);
      expect(refused.value.error?.message).toContain(message);
    }
  });

  test('enable and disable exit 1 where ENABLED_MODELS decides', async () => {
    for (const command of ['enable', 'disable']) {
      const { code, value } = await runCommand(
        { env: { DATABASE_URL: database.url, ENABLED_MODELS: 'nanobanana' } },
        'catalog',
        command,
        'nanobanana-pro',
      );
      expect([code, value.error?.message]).toEqual([1, expect.stringContaining('ENABLED_MODELS is set')]);
    }
  });

  test('an added model without a key is applied and named as waiting; the sandbox draws built-in models alone', async () => {
    const unconfigured = (...args: string[]) =>
      runCommand<Changed>({ env: { DATABASE_URL: database.url } }, 'catalog', ...args);
    expect((await unconfigured('apply', await save(SKETCH))).value).toMatchObject({
      waiting_models: ['sketch'],
      sandbox_models: ['nanobanana'],
    });
    await reportWorker(database, { providers: ['gemini', 'gem-eu'], sandboxServesRest: false });
    expect((await unconfigured('check', await save(SKETCH))).value).toMatchObject({
      waiting_models: [],
      sandbox_models: [],
    });
    const named = SKETCH.replace(
      'routes: [',
      'routes: [{ provider: sandbox, model: s, cost: { 1k: "0" } }, ',
    );
    await database.pool.query('DELETE FROM worker_reports');
    expect((await unconfigured('apply', await save(named))).value).toMatchObject({
      waiting_models: [],
      sandbox_models: ['nanobanana', 'sketch'],
    });
  });

  test('the audit entry of a version says what it changed, without addresses of providers', async () => {
    const { value } = await run('apply', await save(SKETCH));
    const { rows } = await database.pool.query<{ detail: { changes: Changed['changes'] } }>(
      'SELECT detail FROM audit_entries WHERE subject = $1',
      [`catalog ${value.version}`],
    );
    // The content of an earlier release, with which a test begins, changes as well.
    expect(rows[0]?.detail.changes).toEqual(
      expect.arrayContaining([
        { path: 'providers.gem-eu' },
        { path: 'models.sketch', to: expect.objectContaining({ aliases: ['draft'] }) },
      ]),
    );
    expect(JSON.stringify(rows)).not.toContain('127.0.0.1:9');
  });
});
