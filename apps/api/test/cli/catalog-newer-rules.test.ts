import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkDocument, type MergedDocument } from '@image-gateway/shared/catalog/document';
import { insertCatalogVersion } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { createTestDatabase, type TestDatabase } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { applyModels, setPrices } from '../../src/catalog/page/change-models.js';
import { viewModels } from '../../src/catalog/page/view-models.js';
import { runCommand } from './support/run-command.js';

interface Checked {
  readonly version: number;
  readonly inserted: string | null;
  readonly faults: readonly { readonly path: string }[];
  readonly warnings: readonly { readonly path: string; readonly message: string }[];
  readonly checks: readonly { readonly part: string; readonly observed: string }[];
}

const GOOD = `
providers: { bfl: { protocol: bfl, base_url: "https://api.bfl.ai", key_env: BFL_KEYS } }
models:
  flux: { price: { 1k: "0.05" }, max_inputs: 1, routes: [{ provider: bfl, model: flux-2-pro, cost: { 1k: "0.04" }, max_inputs: 1 }] }
`;
/** Refused by a rule that is newer than the stored document: this model takes no input images. */
const OLD = GOOD.replace('flux-2-pro', 'flux-pro-1.1');
const FAULT = 'models.flux.routes.0.options.image_field';

let database: TestDatabase;
let folder: string;
beforeEach(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), mkdtemp(join(tmpdir(), 'catalog-'))]);
  await store();
});
afterEach(async () => {
  await Promise.all([database.close(), rm(folder, { recursive: true })]);
});

/** Stores the document as a release did that did not have the rule. */
async function store(change = (document: MergedDocument) => document): Promise<void> {
  const checked = checkDocument(GOOD);
  if ('faults' in checked) {
    throw new Error(JSON.stringify(checked.faults));
  }
  const document = JSON.stringify(change(checked.document)).replaceAll('flux-2-pro', 'flux-pro-1.1');
  const { rows } = await database.pool.query<{ max: number }>('SELECT max(id) FROM catalog_versions');
  await insertCatalogVersion(database.db, {
    from: rows[0]?.max ?? 0,
    source: OLD,
    document: JSON.parse(document) as MergedDocument,
    origin: 'cli',
    note: null,
    createdBy: null,
    audit: { id: newId('aud'), action: 'catalog.apply', detail: {} },
  });
}
const env = () => ({ DATABASE_URL: database.url, BFL_KEYS: 'k' });
const run = async (command: string, source: string) => {
  const file = join(folder, 'catalog.yaml');
  await writeFile(file, source);
  return runCommand<Checked>({ env: env() }, 'catalog', command, file);
};
const settings = {
  enabledModels: undefined,
  listProviders: () => ({ names: ['bfl'], sandboxServesRest: false }),
};

describe('a stored document with a route that a newer rule refuses', () => {
  test('stays in force and is named by check, doctor and the page', async () => {
    const { code, value } = await run('check', OLD);
    expect([code, value.warnings.map(({ path }) => path)]).toEqual([0, [FAULT]]);
    const doctor = await runCommand<Checked>({ env: env() }, 'doctor');
    expect(JSON.stringify(doctor.value)).toContain(FAULT);
    const view = await viewModels(database.db, settings);
    expect([view.unreadable, view.models.map(({ id }) => id)]).toEqual([
      null,
      expect.arrayContaining(['flux']),
    ]);
    expect(view.warnings.map(({ path }) => path)).toContain(FAULT);
  });

  test('gets the built-in content of the release', async () => {
    await store(({ models: { 'gpt-image': _new, ...models }, ...document }) => ({ ...document, models }));
    const { value } = await runCommand<Checked>({ env: env() }, 'catalog', 'sync');
    expect(value).toMatchObject({ version: 4, inserted: 'built-in', faults: [] });
  });

  test('takes edits of the page, of a command and of a document that leave the route alone', async () => {
    const actor = 'operator@example.com';
    const flux = { id: 'flux', enabled: true, price: { '1k': '0.06' } };
    expect(await setPrices(database.db, { from: 2, actor, models: [flux] })).toBe(3);
    const price = await runCommand<Checked>({ env: env() }, 'catalog', 'set-price', 'flux', '1k', '0.07');
    expect([price.code, price.value.version]).toEqual([0, 4]);
    const applied = await run(
      'apply',
      OLD.replace('"0.05"', '"0.07"').replace('  flux:', '  nanobanana: { enabled: false }\n  flux:'),
    );
    expect([applied.code, applied.value.version]).toEqual([0, 5]);
    const [, , source = ''] = OLD.replace('"0.05"', '"0.09"').split('\n');
    expect(
      await applyModels(database.db, {
        from: 5,
        actor,
        note: null,
        source: `${source}\n${OLD.split('\n')[3]}`,
      }),
    ).toBe(6);
  });

  test('takes no edit that changes the route, by check and by apply', async () => {
    for (const command of ['check', 'apply']) {
      const { code, value } = await run(command, OLD.replace('cost: { 1k: "0.04" }', 'cost: { 1k: "0.03" }'));
      expect([code, value.faults.map(({ path }) => path)]).toEqual([1, [FAULT]]);
      expect((await run(command, GOOD)).code).toBe(0);
    }
  });
});
