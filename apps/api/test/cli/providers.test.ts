import { type StubUpstreams, startStubUpstreams } from '@image-gateway/stub-upstreams';
import {
  applyCatalog,
  createTestAccount,
  createTestDatabase,
  createTestTask,
  reportWorker,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DoctorCheck } from './support/doctor-check.js';
import { runCommand } from './support/run-command.js';

let database: TestDatabase;
let stub: StubUpstreams;

beforeAll(async () => {
  [database, stub] = await Promise.all([createTestDatabase(), startStubUpstreams()]);
});
afterAll(async () => {
  await Promise.all([database.close(), stub.close()]);
});

const NAMES = ['gemini', 'fal', 'replicate', 'openrouter', 'openai'];
const examine = async (changed: Record<string, string> = {}) => {
  const { value } = await runCommand<{ checks: DoctorCheck[] }>(
    { env: { ...stub.environment, ...changed } },
    'doctor',
  );
  return value.checks.filter(({ part }) => [...NAMES, 'sandbox', 'providers'].includes(part));
};

const LOSS = `
models:
  flux:
    price: { 1k: "0.01" }
    routes:
      - { provider: openai, model: flux-large, cost: { 1k: "0.02" } }
      - { provider: fal, model: flux-small, cost: { 1k: "0.03" } }
`;

describe('the doctor', () => {
  test('the doctor tries every key of every provider with a call that asks for no image', async () => {
    stub.forgetCalls();
    const checks = await examine();
    expect(checks.map(({ part }) => part).sort()).toEqual([...NAMES, ...NAMES].sort());
    expect(checks.filter(({ level }) => level === 'fault')).toEqual([]);
    expect(stub.calls().filter(({ kind }) => kind !== 'check' && kind !== 'poll')).toEqual([]);
    // OpenRouter lists its models elsewhere.
    expect(stub.calls()).toHaveLength(12);
  });

  test.each(NAMES)(
    'the doctor says which key of %s is refused, without telling it, and where to get another',
    async (name) => {
      const secret = 'not-a-good-key-0123456789';
      const all = await examine({ PROVIDERS: name, [`${name.toUpperCase()}_API_KEY`]: secret });
      const checks = all.filter(({ level }) => level === 'fault');
      expect(checks).toMatchObject([
        { part: name, level: 'fault', seen: expect.stringContaining('refused') },
      ]);
      expect(checks[0]?.mend).toContain('https://');
      expect(JSON.stringify(checks)).not.toContain(secret);
    },
  );

  test.each(['gemini', 'openrouter', 'openai'])(
    'the doctor names a model of a route that %s does not list',
    async (provider) => {
      const model = `{ price: { 1k: "0.1" }, routes: [{ provider: ${provider}, model: no-such, cost: { 1k: "0" } }] }`;
      const own = await createTestDatabase();
      await applyCatalog(own, `models: { odd: ${model} }`);
      const checks = await examine({ PROVIDERS: provider, DATABASE_URL: own.url });
      await own.close();
      const named = checks.filter(({ seen }) => seen.includes('no-such is not offered'));
      expect(named.map(({ part, level }) => [part, level])).toEqual([
        [provider, 'warning'],
        [provider, 'warning'],
      ]);
    },
  );

  test('the doctor says that a provider cannot be reached', async () => {
    const [check] = await examine({ PROVIDERS: 'fal', FAL_BASE_URL: 'http://127.0.0.1:1' });
    expect(check).toMatchObject({
      part: 'fal',
      level: 'fault',
      seen: expect.stringContaining('127.0.0.1:1'),
    });
  });

  test('the doctor says what is wrong with a choice of providers', async () => {
    expect(await examine({ PROVIDERS: 'fal', FAL_API_KEY: '', FAL_BASE_URL: '' })).toMatchObject([
      { part: 'providers', level: 'fault', seen: expect.stringContaining('FAL_API_KEY') },
    ]);
  });

  test('the doctor notices a key that nobody uses', async () => {
    const checks = await examine({ PROVIDERS: 'sandbox,fal' });
    expect(checks.filter(({ level }) => level === 'warning').map(({ part }) => part)).toEqual([
      'gemini',
      'replicate',
      'openrouter',
      'openai',
    ]);
  });

  test('the doctor finds nothing wrong with the sandbox', async () => {
    const { value } = await runCommand<{ checks: DoctorCheck[] }>({ env: {} }, 'doctor');
    expect(value.checks.filter(({ part }) => part === 'sandbox')).toMatchObject([{ level: 'ok' }]);
  });

  test('the doctor says that no provider is configured where the sandbox does not stand in', async () => {
    const { value } = await runCommand<{ checks: DoctorCheck[] }>(
      { env: { SANDBOX_FALLBACK: 'false' } },
      'doctor',
    );
    expect(value.checks.filter(({ part }) => ['sandbox', 'providers'].includes(part))).toMatchObject([
      { part: 'providers', level: 'fault', mend: expect.stringContaining('PROVIDERS=sandbox') },
    ]);
  });

  test('the doctor names each generation worker that does not call an instance of the catalog', async () => {
    const own = await createTestDatabase();
    await applyCatalog(
      own,
      'providers: { my-gpu: { protocol: openai, base_url: "http://127.0.0.1:1", key_env: MY_GPU_KEYS } }',
    );
    const report = (pid: number, providers: string[]) =>
      reportWorker(own, { providers }, { id: `w${pid}`, pid });
    await Promise.all([report(1, ['gemini', 'my-gpu']), report(2, ['gemini'])]);
    const { value } = await runCommand<{ checks: DoctorCheck[] }>(
      { env: { DATABASE_URL: own.url, PROVIDERS: 'sandbox' } },
      'doctor',
    );
    await own.close();
    expect(value.checks.filter(({ part }) => part === 'my-gpu')).toMatchObject([
      {
        level: 'warning',
        seen: 'the generation worker h, process 2 does not call it',
        mend: expect.stringContaining('MY_GPU_KEYS'),
      },
    ]);
  });
});

describe('providers', () => {
  const list = (env: Record<string, string> = {}) =>
    runCommand<{ workers: number; candidates: Record<string, unknown>[]; calls: Record<string, unknown>[] }>(
      { env: { DATABASE_URL: database.url, ...env } },
      'providers',
    );

  test('the command providers shows every candidate with the worst that a worker sees, and what its calls came to', async () => {
    const standing = {
      pausedMs: { k: 4_200 },
      pauseCauses: ['rate-limit' as const],
      keysSetAside: [],
      setAside: false,
      running: 2,
    };
    const gemini = { provider: 'gemini', model: 'gemini-3-pro-image', ...standing };
    await reportWorker(
      database,
      { candidates: [{ ...gemini, circuit: 'closed', accountsPaused: 3 }] },
      { id: 'w1' },
    );
    await reportWorker(database, { candidates: [{ ...gemini, circuit: 'open' }] }, { id: 'w2' });
    const task = await createTestTask(database.db, await createTestAccount(database));
    await database.pool.query(
      `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, detail, cost_micros, finished_at)
       SELECT 'c' || n, $1, 1, 'gemini', 'gemini-3-pro-image', 1, '{0}', 'failed', 'overload', 1500, now() + interval '2 s'
         FROM generate_series(1, 3) n`,
      [task.id],
    );
    await database.pool.query('SELECT recount()');
    const { code, value } = await list({ ...stub.environment, PROVIDERS: 'gemini' });
    expect([code, value.workers]).toEqual([0, 2]);
    expect(value.candidates).toContainEqual({
      model: 'nanobanana-pro',
      provider: 'gemini',
      upstream_model: 'gemini-3-pro-image',
      weight: null,
      cost_per_image: { '1k': '$0.1340', '2k': '$0.1340', '4k': '$0.2400' },
      circuit: 'open',
      accounts_paused: 3,
      paused_s: 5,
      paused_until: expect.any(String),
      paused_because: 'rate limit',
      refused_because: null,
      set_aside: false,
      running: 4,
    });
    expect(value.calls).toMatchObject([
      { provider: 'gemini', state: 'failed', detail: 'overload', calls: 3, images: 3, cost: '$0.0045' },
    ]);
    expect(Number(value.calls[0]?.mean_ms)).toBeGreaterThan(1_000);
  });

  test('the command providers shows the sandbox where nothing is configured', async () => {
    const { value } = await list();
    expect(value.candidates).toMatchObject([
      { model: 'nanobanana', provider: 'sandbox', circuit: 'closed' },
      { model: 'nanobanana-pro', provider: 'sandbox' },
    ]);
  });

  test('providers follows the active catalog', async () => {
    await applyCatalog(database, LOSS);
    const { value } = await list({ PROVIDERS: 'fal,openai', FAL_API_KEY: 'k', OPENAI_API_KEY: 'k' });
    expect(value.candidates.filter(({ model }) => model === 'flux')).toMatchObject([
      { provider: 'openai', upstream_model: 'flux-large', cost_per_image: { '1k': '$0.0200' } },
      { provider: 'fal', upstream_model: 'flux-small', cost_per_image: { '1k': '$0.0300' } },
    ]);
  });
});

describe('the doctor reads the catalog', () => {
  const examineCatalog = async (env: Record<string, string>) => {
    const { code, value } = await runCommand<{ checks: DoctorCheck[] }>(
      { env: { DATABASE_URL: database.url, ...env } },
      'doctor',
    );
    return { code, checks: value.checks.filter(({ part }) => part === 'catalog') };
  };

  test('the doctor reads the catalog and says which model on offer is sold below cost, with the numbers', async () => {
    const version = await applyCatalog(database, LOSS);
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: stub.environment.OPENAI_BASE_URL ?? '' };
    const { checks } = await examineCatalog({ ...env, ENABLED_MODELS: 'flux' });
    expect(checks).toMatchObject([
      { level: 'ok', seen: `version ${version} is active` },
      {
        level: 'warning',
        seen: 'models.flux.price.1k: sold below cost: $0.0100 an image, the cheapest route (openai flux-large) costs $0.0200',
        mend: expect.stringContaining('catalog apply'),
      },
    ]);
    // A missing key changes nothing.
    const { checks: others } = await examineCatalog({ PROVIDERS: 'sandbox' });
    expect(others.map(({ level }) => level)).toEqual(['ok', 'warning']);
  });

  test('the doctor reads the catalog and says that the newest version cannot be read, and why', async () => {
    const version = await applyCatalog(database, '');
    await database.pool.query(
      `INSERT INTO catalog_versions (id, source, document, digest, origin)
       VALUES ($1, 'x', '{"models": 5}', encode(sha256('x'), 'hex'), 'cli')`,
      [version + 1],
    );
    const { code, checks } = await examineCatalog({ PROVIDERS: 'sandbox' });
    expect([code, checks]).toMatchObject([1, [{ level: 'fault' }]]);
    expect(checks[0]?.seen).toMatch(
      new RegExp(`^version ${version + 1} cannot be read .*models.*; version ${version} stays active$`),
    );
    expect(checks[0]?.mend).toContain(`catalog rollback ${version}`);
    // A version that can be read ends it.
    await applyCatalog(database, '');
    expect((await examineCatalog({ PROVIDERS: 'sandbox' })).checks).toMatchObject([{ level: 'ok' }]);
  });
});
