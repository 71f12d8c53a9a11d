import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkDocument } from '@image-gateway/shared/catalog/document';
import { createTestDatabase, type TestDatabase } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runCommand } from './support/run-command.js';

interface Synced {
  readonly version: number;
  readonly inserted: string | null;
  readonly file_replaced: boolean;
  readonly faults: readonly { readonly path: string }[];
}

let database: TestDatabase;
let folder: string;
beforeEach(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), mkdtemp(join(tmpdir(), 'catalog-'))]);
});
afterEach(async () => {
  await Promise.all([database.close(), rm(folder, { recursive: true })]);
});

const price = (dollars: string): string =>
  `models: { nanobanana: { price: { 1k: "${dollars}", 2k: "${dollars}", 4k: "${dollars}" } } }\n`;
const save = async (name: string, source: string): Promise<string> => {
  const file = join(folder, name);
  await writeFile(file, source);
  return file;
};
const run = <T>(env: Record<string, string>, ...args: string[]) =>
  runCommand<T>({ env: { DATABASE_URL: database.url, ...env } }, 'catalog', ...args);
/** Starts with a file of this content, as `npm start` and `migrate` do. */
const sync = async (source: string, ...args: string[]) =>
  run<Synced>({ CATALOG_FILE: await save('catalog.yaml', source) }, 'sync', ...args);
const edit = async (source: string) => run({}, 'apply', await save('edit.yaml', source));
const listVersions = async () =>
  (
    await database.pool.query<{ origin: string; source: string; createdBy: string | null }>(
      'SELECT origin, source, created_by AS "createdBy" FROM catalog_versions WHERE id > 1 ORDER BY id',
    )
  ).rows;

describe('a start with CATALOG_FILE', () => {
  test('a start with CATALOG_FILE applies the file, and again when it has changed', async () => {
    expect(await sync(price('0.05'))).toMatchObject({ code: 0, value: { version: 2, inserted: 'file' } });
    expect((await sync(price('0.05'))).value).toMatchObject({ version: 2, inserted: null });
    expect((await sync(price('0.06'))).value).toMatchObject({ version: 3, inserted: 'file' });
    expect(await listVersions()).toEqual([
      { origin: 'file', source: price('0.05'), createdBy: 'file' },
      { origin: 'file', source: price('0.06'), createdBy: 'file' },
    ]);
    const { rows } = await database.pool.query(
      'SELECT action, subject, detail FROM audit_entries ORDER BY created_at',
    );
    expect(rows).toMatchObject([
      { action: 'catalog.apply', subject: 'catalog 2', detail: { actor: 'file', from: 1 } },
      { action: 'catalog.apply', subject: 'catalog 3', detail: { actor: 'file', from: 2 } },
    ]);
  });

  test('a start with CATALOG_FILE refuses a changed file after a change by an operator and names both versions', async () => {
    await sync(price('0.05'));
    await edit(price('0.07'));
    const { code, value } = await sync(price('0.06'));
    expect([code, value.error?.code]).toEqual([1, 'BAD_REQUEST']);
    expect(value.error?.message).toMatch(
      /version is 2 \(origin file\), and version 3 \(origin cli\) followed/,
    );
    expect(value.error?.message).toContain('catalog sync --force');
    expect(await listVersions()).toHaveLength(2);
    expect((await sync(price('0.06'), '--force')).value).toMatchObject({ version: 4, inserted: 'file' });
    expect((await sync(price('0.06'))).value).toMatchObject({ version: 4, inserted: null });
  });

  test('a start with CATALOG_FILE refuses a first file after a change by an operator', async () => {
    await edit(price('0.07'));
    const { code, value } = await sync(price('0.06'));
    expect([code, value.error?.message]).toMatchObject([
      1,
      expect.stringContaining('version 2 (origin cli)'),
    ]);
  });

  test('a start with CATALOG_FILE leaves the change of an operator active while the file is the same, and says so', async () => {
    await sync(price('0.05'));
    await edit(price('0.07'));
    const { code, value } = await sync(price('0.05'));
    expect(code).toBe(0);
    expect(value).toMatchObject({ version: 3, inserted: null, file_replaced: true, faults: [] });
    expect((await sync(price('0.05'), '--force')).value).toMatchObject({ version: 4, inserted: 'file' });
  });

  test('a start with CATALOG_FILE names the providers in use and the models that only the sandbox draws', async () => {
    const document = `providers:
  my-gpu: { protocol: openai, base_url: "http://127.0.0.1:1/v1" }
  test-images: { protocol: sandbox }
models:
  sketch: { price: { 1k: "0.01" }, routes: [{ provider: my-gpu, model: sd, cost: { 1k: "0" } }] }
  sample: { price: { 1k: "0.01" }, routes: [{ provider: test-images, model: s, cost: { 1k: "0" } }] }
`;
    expect((await sync(document)).value).toMatchObject({
      providers: ['sandbox', 'my-gpu', 'test-images'],
      sandbox_models: ['nanobanana', 'sample'],
    });
    const keys = { GEMINI_API_KEY: 'k' };
    expect((await run<Synced>(keys, 'sync')).value).toMatchObject({
      providers: ['gemini', 'my-gpu', 'test-images'],
      sandbox_models: ['sample'],
    });
    const { value } = await run<Synced>({ PROVIDERS: 'Dall-E' }, 'sync');
    expect(value).not.toHaveProperty('providers');
  });

  test('a start with CATALOG_FILE names every fault of the file and changes nothing', async () => {
    const { code, value } = await sync(
      'models: { nanobanana: { colour: red }, flux: { price: { 1k: "0" } } }',
    );
    expect([code, value.error?.code]).toEqual([1, 'VALIDATION_ERROR']);
    for (const path of ['models.nanobanana.colour', 'models.flux.price.1k']) {
      expect(value.error?.message).toContain(path);
    }
    expect(await listVersions()).toEqual([]);
  });
});

describe('a start of another release', () => {
  /** Inserts the newest version as a release with other built-in content would have merged it. */
  const insertFormer = async (source: string) => {
    const checked = checkDocument('');
    if ('faults' in checked) {
      throw new Error('faults');
    }
    const { nanobanana } = checked.document.models;
    const models = { ...checked.document.models, nanobanana: { ...nanobanana, name: 'former name' } };
    await database.pool.query(
      `INSERT INTO catalog_versions (id, source, document, digest, origin)
       VALUES (2, $1, $2, encode(sha256(convert_to($1, 'UTF8')), 'hex'), 'cli')`,
      [source, JSON.stringify({ ...checked.document, models })],
    );
  };

  test('lays the document of the operator over its own built-in content, once', async () => {
    await insertFormer(price('0.09'));
    expect((await run<Synced>({}, 'sync')).value).toMatchObject({ version: 3, inserted: 'built-in' });
    expect((await run<Synced>({}, 'sync')).value).toMatchObject({ version: 3, inserted: null });
    const { value } = await run<{ document: unknown; source: string }>({}, 'show');
    expect(value).toMatchObject({
      source: price('0.09'),
      document: { models: { nanobanana: { name: 'Nano Banana', price: { '1k': '0.09' } } } },
    });
  });

  test('a start of another release keeps a version whose document does not fit its built-in content, and names the faults', async () => {
    await insertFormer('models: { gone: { colour: red } }');
    const { code, value } = await run<Synced>({}, 'sync');
    expect([code, value]).toMatchObject([0, { version: 2, inserted: null }]);
    expect(value.faults.map(({ path }) => path)).toContain('models.gone.colour');
  });
});
