import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listDocumentNames } from '@image-gateway/shared/catalog/document';
import { createDatabase, saveWorkerReport } from '@image-gateway/shared/db';
import { createLogger } from '@image-gateway/shared/logging';
import { createTestDatabase, eventually, type TestDatabase } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sweepWaitingCatalog } from '../../src/catalog/waiting/sweep-waiting-catalog.js';
import { runCommand } from './support/run-command.js';

interface Synced {
  readonly version: number;
  readonly inserted: string | null;
  readonly waiting: { readonly content: string; readonly processes: readonly string[] } | null;
}

const PRICE = 'price: { 1k: "0.05" }';
const ROUTE = 'provider: openai, model: gpt-image-2';
const model = (fields: string): string => `models: { poster: { ${fields} } }\n`;
const PLAIN = model(`${PRICE}, routes: [{ ${ROUTE}, cost: { 1k: "0.03" } }]`);
const NEWER = model(`${PRICE}, routes: [{ ${ROUTE}, cost: { 1k: "0.03" }, timeout: 30 }]`);

/** Release beside which this one runs, and the names that it reads in documents. */
const FORMER = '0.3.9';
const own = listDocumentNames();
const less = (names: readonly string[], ...left: string[]) => names.filter((name) => !left.includes(name));
const reads = {
  ...own,
  provider: less(own.provider, 'api_path'),
  model: less(own.model, 'facade_aspect_ratios'),
  route: less(own.route, 'timeout'),
  accepts: less(own.accepts, 'mask'),
  protocols: less(own.protocols, 'task'),
};

let database: TestDatabase;
let folder: string;
let ends: (() => Promise<unknown>)[];
beforeEach(async () => {
  ends = [];
  [database, folder] = await Promise.all([createTestDatabase(), mkdtemp(join(tmpdir(), 'catalog-'))]);
});
afterEach(async () => {
  await Promise.all(ends.map((end) => end()));
  await Promise.all([database.close(), rm(folder, { recursive: true })]);
});

const save = async (source: string): Promise<string> => {
  const file = join(folder, 'catalog.yaml');
  await writeFile(file, source);
  return file;
};
const run = <T>(env: Record<string, string>, ...args: string[]) =>
  runCommand<T>({ env: { DATABASE_URL: database.url, ...env } }, 'catalog', ...args);
const apply = async (source: string, ...args: string[]) =>
  run<{ version: number }>({}, 'apply', await save(source), ...args);
const sync = async (source: string | null, ...args: string[]) =>
  run<Synced>(source === null ? {} : { CATALOG_FILE: await save(source) }, 'sync', ...args);
const readNewest = async () => {
  const { rows } = await database.pool.query<{ origin: string; source: string }>(
    'SELECT origin, source FROM catalog_versions ORDER BY id DESC LIMIT 1',
  );
  return rows[0];
};
const report = (known: Partial<typeof own>) =>
  saveWorkerReport(database.db, {
    id: 'gw_1',
    service: 'generation-worker',
    host: 'node-7',
    pid: 42,
    report: { version: FORMER, reads: { ...reads, ...known }, candidates: [] },
  });
/** Opens a session as an API process of the former release does, whose workers have ended. Returns its end. */
const startFormerApi = async (): Promise<() => Promise<void>> => {
  await report({});
  await database.pool.query("UPDATE worker_reports SET seen_at = now() - interval '1 hour'");
  const db = createDatabase({ url: database.url, applicationName: `image-gateway-api/${FORMER}`, max: 1 });
  await db.run({ name: 'one', text: 'SELECT 1' }, []);
  return db.close;
};
const startSweep = (): void => {
  ends.push(
    sweepWaitingCatalog({
      db: database.db,
      logger: createLogger({ service: 'test', level: 'error', write: () => undefined }),
      everyMs: 20,
    }),
  );
};

describe('apply while processes of the former release run', () => {
  test.each([
    ['a field of a route', NEWER, 'models.poster.routes.0.timeout'],
    [
      'a capability',
      model(`${PRICE}, routes: [{ ${ROUTE}, cost: { 1k: "0.03" }, accepts: { mask: true } }]`),
      'models.poster.routes.0.accepts.mask',
    ],
    [
      'a field of a model',
      model(`facade_aspect_ratios: ["1:1"], ${PRICE}, routes: [{ ${ROUTE}, cost: { 1k: "0.03" } }]`),
      'models.poster.facade_aspect_ratios',
    ],
    [
      'a protocol',
      'providers: { relay: { protocol: task, base_url: "https://api.example.com", preset: apimart } }',
      'providers.relay.protocol',
    ],
    [
      'a field of a provider',
      'providers: { own: { protocol: openai, base_url: "https://api.example.com", api_path: /v3 } }',
      'providers.own.api_path',
    ],
  ])(
    'apply refuses %s, names the field and the processes, and changes nothing',
    async (_what, source, path) => {
      await report({});
      const { code, value } = await apply(source);
      expect([code, value.error?.code]).toEqual([1, 'BAD_REQUEST']);
      expect(value.error?.message).toContain(path);
      expect(value.error?.message).toContain('generation-worker (node-7, process 42)');
      expect(value.error?.message).toContain('--upgraded');
      expect(await readNewest()).toMatchObject({ origin: 'built-in' });
      expect(await apply(source, '--upgraded')).toMatchObject({ code: 0, value: { version: 2 } });
    },
  );

  test('apply counts API processes by their sessions, until they end', async () => {
    const end = await startFormerApi();
    const { code, value } = await apply(NEWER);
    expect([code, value.error?.message]).toMatchObject([1, expect.stringContaining('API (')]);
    await end();
    await eventually(async () => expect((await apply(NEWER)).code).toBe(0));
  });

  test('apply takes what the former release reads', async () => {
    await report({});
    expect(await apply(PLAIN)).toMatchObject({ code: 0, value: { version: 2 } });
  });

  test('apply takes everything when all processes read what this build reads', async () => {
    await report(own);
    expect(await apply(NEWER)).toMatchObject({ code: 0, value: { version: 2 } });
  });

  test('rollback refuses a version that the former release cannot read', async () => {
    await apply(NEWER);
    await apply(PLAIN);
    await report({});
    const { code, value } = await run({}, 'rollback', '2');
    expect([code, value.error?.message]).toMatchObject([
      1,
      expect.stringContaining('models.poster.routes.0.timeout'),
    ]);
    expect((await run({}, 'rollback', '1')).code).toBe(0);
  });
});

describe('a start while processes of the former release run', () => {
  test('built-in content that the former release cannot read waits, and a document over it has the rest at once', async () => {
    const end = await startFormerApi();
    const { value } = await sync(PLAIN);
    expect(value).toMatchObject({ version: 2, inserted: 'file', waiting: null });
    const listModels = async () => {
      const { rows } = await database.pool.query<{ document: { models: object } }>(
        'SELECT document FROM catalog_versions ORDER BY id DESC LIMIT 1',
      );
      return Object.keys(rows[0]?.document.models ?? {}).sort();
    };
    expect(await listModels()).toEqual(['nanobanana', 'nanobanana-pro', 'poster']);
    await end();
    startSweep();
    await eventually(async () => expect(await listModels()).toContain('gpt-image'));
  });

  test('a file that the former release cannot read waits, and the API applies it when none runs any more', async () => {
    const end = await startFormerApi();
    const { code, value } = await sync(NEWER);
    expect([code, value]).toMatchObject([
      0,
      {
        version: 1,
        inserted: null,
        waiting: { content: 'file', processes: [expect.stringMatching(/^API/)] },
      },
    ]);
    startSweep();
    expect((await sync(NEWER)).value).toMatchObject({ version: 1, inserted: null });
    await end();
    await eventually(async () => expect(await readNewest()).toEqual({ origin: 'file', source: NEWER }));
    expect((await sync(NEWER)).value).toMatchObject({ version: 2, inserted: null, waiting: null });
  });

  test('a file that waits is forgotten when the file is what it was', async () => {
    await sync(PLAIN);
    const end = await startFormerApi();
    expect((await sync(NEWER)).value.waiting).toMatchObject({ content: 'file' });
    await sync(PLAIN);
    await end();
    expect(
      (await database.pool.query('SELECT 1 FROM waiting_catalogs WHERE source IS NOT NULL')).rows,
    ).toEqual([]);
  });

  test('a file that waits undoes no change that an operator made meanwhile', async () => {
    const end = await startFormerApi();
    await sync(NEWER);
    await apply(PLAIN);
    await end();
    startSweep();
    await eventually(async () =>
      expect((await database.pool.query('SELECT 1 FROM waiting_catalogs')).rows).toEqual([]),
    );
    expect(await readNewest()).toMatchObject({ source: PLAIN });
    const { code, value } = await sync(NEWER);
    expect([code, value.error?.message]).toMatchObject([1, expect.stringContaining('sync --force')]);
  });

  test('a start with --upgraded applies the file at once', async () => {
    await report({});
    expect((await sync(NEWER, '--upgraded')).value).toMatchObject({ inserted: 'file', waiting: null });
  });
});
