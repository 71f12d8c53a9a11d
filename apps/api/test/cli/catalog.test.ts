import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PrismaDatabase, withPrisma } from '@image-gateway/shared/db/prisma';
import { applyCatalog, createTestDatabase, type TestDatabase } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from './support/run-command.js';

interface Warned {
  readonly version: number;
  readonly from: number;
  readonly warnings: readonly { readonly path: string; readonly message: string }[];
}
interface Version {
  readonly version: number;
  readonly origin: string;
  readonly note: string | null;
  readonly source: string;
  readonly document: unknown;
}

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), mkdtemp(join(tmpdir(), 'catalog-'))]);
});
afterAll(async () => {
  await Promise.all([database.close(), rm(folder, { recursive: true })]);
});

const save = async (source: string | Buffer): Promise<string> => {
  const file = join(folder, 'catalog.yaml');
  await writeFile(file, source);
  return file;
};
const run = <T>(...args: string[]) =>
  runCommand<T>({ env: { DATABASE_URL: database.url } }, 'catalog', ...args);
const getNewest = async (): Promise<number> => (await run<Version>('show')).value.version;
const listAudit = async (version: number) =>
  (
    await database.pool.query<{ action: string; detail: object }>(
      'SELECT action, detail FROM audit_entries WHERE subject = $1',
      [`catalog ${version}`],
    )
  ).rows;
const price = (dollars: string): string =>
  `models: { nanobanana: { price: { 1k: "${dollars}", 2k: "${dollars}", 4k: "${dollars}" } } }\n`;

describe('catalog', () => {
  test.each([
    ['is empty', 'is empty', ''],
    ['holds white space alone', 'is empty', '\uFEFF \n\t\n'],
    ['is not UTF-8', 'is not UTF-8', Buffer.from('models: {} # f\xfcr', 'latin1')],
  ])(
    'check and apply refuse a file that %s, so that no broken template puts built-in prices back',
    async (_what, message, source) => {
      const file = await save(source);
      for (const command of ['check', 'apply']) {
        const { code, value } = await run(command, file);
        expect([code, value.error?.message]).toEqual([1, expect.stringContaining(message)]);
      }
      expect((await run('check', await save('\uFEFFmodels: {}'))).code).toBe(0);
    },
  );

  test('apply makes a version with its audit entry, which show and history print', async () => {
    const from = await getNewest();
    const source = price('0.05');
    const applied = await run<Warned>('apply', await save(source), '--note', 'dearer');
    expect(applied).toMatchObject({ code: 0, value: { version: from + 1, from, warnings: [] } });
    const { value: shown } = await run<Version>('show');
    expect(shown).toMatchObject({
      version: from + 1,
      origin: 'cli',
      note: 'dearer',
      created_by: 'cli',
      source,
      document: { models: { nanobanana: { price: { '1k': '0.05' } } } },
    });
    const { value: history } = await run<Version[]>('history');
    expect(history.map(({ version }) => version)).toEqual(
      Array.from({ length: from + 1 }, (_, index) => from + 1 - index),
    );
    expect(await listAudit(from + 1)).toMatchObject([
      { action: 'catalog.apply', detail: { actor: 'cli', from, note: 'dearer' } },
    ]);
  });

  test('rollback makes a new version with the content of an earlier one', async () => {
    const from = await getNewest();
    const before = (await run<Version>('show')).value;
    await run('apply', await save(price('0.07')));
    const { code, value } = await run<Warned>('rollback', String(from));
    expect([code, value]).toMatchObject([
      0,
      { version: from + 2, from: from + 1, content_of: from, warnings: [] },
    ]);
    const { value: after } = await run<Version>('show');
    expect([after.version, after.source, after.document]).toEqual([from + 2, before.source, before.document]);
    expect(await listAudit(from + 2)).toMatchObject([
      { action: 'catalog.rollback', detail: { actor: 'cli', from: from + 1, to: from } },
    ]);
  });

  test.each([
    ['apply', async () => ['apply', await save(price('0.08'))]],
    ['rollback', async () => ['rollback', '1']],
  ] as const)(
    '%s names both versions when another one came in between, and changes nothing',
    async (_, getArgs) => {
      const from = await getNewest();
      const prisma = withPrisma(database.db);
      const db: PrismaDatabase = {
        ...prisma,
        run: async (statement, values) => {
          if (statement.name === 'insert-catalog-version') {
            await applyCatalog(database, price('0.09'));
          }
          return database.db.run(statement, values);
        },
      };
      const { code, value } = await runCommand({ db }, 'catalog', ...(await getArgs()));
      expect([code, value.error?.code]).toEqual([1, 'BAD_REQUEST']);
      expect(value.error?.message).toContain(`from catalog version ${from}, and version ${from + 1} came`);
      expect((await run<Version>('show')).value).toMatchObject({ version: from + 1, source: price('0.09') });
    },
  );

  test.each(['check', 'apply'])(
    '%s prints every fault with its path, and changes nothing',
    async (command) => {
      const from = await getNewest();
      const source = 'models: { nanobanana: { colour: red }, flux: { price: { 1k: "0" } } }';
      const { code, value } = await run<{ faults: { path: string; message: string }[] }>(
        command,
        await save(source),
      );
      expect([code, value.error?.code]).toEqual([1, 'VALIDATION_ERROR']);
      expect(value.faults.map(({ path }) => path)).toEqual(
        expect.arrayContaining(['models.nanobanana.colour', 'models.flux.price.1k']),
      );
      for (const { path, message } of value.faults) {
        expect(value.error?.message).toContain(`${path}: ${message}`);
      }
      expect(await getNewest()).toBe(from);
    },
  );

  test('check needs no database, and warns of providers without a key and of prices below cost', async () => {
    const file = await save(`
providers:
  my-gpu: { protocol: openai, base_url: "http://10.0.0.5:8000/v1", key_env: GPU_KEYS }
  open-gpu: { protocol: openai, base_url: "http://10.0.0.6:8000/v1" }
models:
  flux:
    price: { 1k: "0.01" }
    routes:
      - { provider: fal, model: a, cost: { 1k: "0.001" } }
      - { provider: openai, model: b, cost: { 1k: "0.02" } }
      - { provider: my-gpu, model: c, cost: { 1k: "0" } }
      - { provider: open-gpu, model: d, cost: { 1k: "0.02" } }
`);
    const { code, value } = await runCommand<Warned>(
      { env: { OPENAI_API_KEY: 'k', PROVIDERS: 'openai,fal,my-gpu' } },
      'catalog',
      'check',
      file,
    );
    expect([code, value]).toMatchObject([
      0,
      { ok: true, models: ['nanobanana', 'nanobanana-pro', 'gpt-image', 'flux'] },
    ]);
    expect(value.warnings).toEqual(
      expect.arrayContaining([
        { path: 'models.flux.routes.0.provider', message: 'fal has no key here' },
        { path: 'models.flux.routes.2.provider', message: 'my-gpu has no key here (GPU_KEYS)' },
        {
          path: 'models.flux.routes.3.provider',
          message: 'open-gpu is called by no generation worker yet, or is not in PROVIDERS; it needs no key',
        },
        {
          path: 'models.flux.price.1k',
          message: 'sold below cost: $0.0100 an image, the cheapest route (openai b) costs $0.0200',
        },
      ]),
    );
    expect(value.warnings.some(({ path }) => path === 'models.flux.routes.1.provider')).toBe(false);
  });

  test('a version or a file that is not there is an error', async () => {
    expect((await run('show', '--version', '9999')).value.error?.code).toBe('NOT_FOUND');
    expect((await run('rollback', '9999')).value.error?.code).toBe('NOT_FOUND');
    for (const bad of ['0', '1.5', 'x', '2147483648']) {
      expect((await run('rollback', bad)).value.error?.code).toBe('VALIDATION_ERROR');
    }
    const { code, value } = await run('apply', join(folder, 'none.yaml'));
    expect([code, value.error?.code]).toEqual([1, 'BAD_REQUEST']);
    expect(value.error?.message).toContain('none.yaml cannot be read: there is no such file.');
  });
});
