import { saveWorkerReport } from '@image-gateway/shared/db';
import { type StubUpstreams, startStubUpstreams } from '@image-gateway/stub-upstreams';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
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

describe('the doctor', () => {
  test('tries every key of every provider with a call that asks for no image', async () => {
    stub.forgetCalls();
    const checks = await examine();
    expect(checks.map(({ part }) => part).sort()).toEqual([...NAMES, ...NAMES].sort());
    expect(checks.filter(({ level }) => level === 'fault')).toEqual([]);
    expect(stub.calls().filter(({ kind }) => kind !== 'check' && kind !== 'poll')).toEqual([]);
    expect(stub.calls()).toHaveLength(10);
  });

  test.each(NAMES)(
    'says which key of %s is refused, without telling it, and where to get another',
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

  test('says that a provider cannot be reached', async () => {
    const [check] = await examine({ PROVIDERS: 'fal', FAL_BASE_URL: 'http://127.0.0.1:1' });
    expect(check).toMatchObject({
      part: 'fal',
      level: 'fault',
      seen: expect.stringContaining('127.0.0.1:1'),
    });
  });

  test('says what is wrong with a choice of providers', async () => {
    expect(await examine({ PROVIDERS: 'fal', FAL_API_KEY: '', FAL_BASE_URL: '' })).toMatchObject([
      { part: 'providers', level: 'fault', seen: expect.stringContaining('FAL_API_KEY') },
    ]);
    expect(await examine({ ROUTES_FILE: '/nonexistent.json' })).toMatchObject([
      { part: 'providers', level: 'fault', seen: expect.stringContaining('ROUTES_FILE') },
    ]);
  });

  test('notices a key that nobody uses', async () => {
    const checks = await examine({ PROVIDERS: 'sandbox,fal' });
    expect(checks.filter(({ level }) => level === 'warning').map(({ part }) => part)).toEqual([
      ...['gemini', 'replicate', 'openrouter', 'openai'],
    ]);
  });

  test('finds nothing wrong with the sandbox', async () => {
    const { value } = await runCommand<{ checks: DoctorCheck[] }>({ env: {} }, 'doctor');
    expect(value.checks.filter(({ part }) => part === 'sandbox')).toMatchObject([{ level: 'ok' }]);
  });
});

describe('providers', () => {
  const list = (env: Record<string, string> = {}) =>
    runCommand<{ workers: number; candidates: Record<string, unknown>[]; calls: Record<string, unknown>[] }>(
      { env: { DATABASE_URL: database.url, ...env } },
      'providers',
    );

  test('shows every candidate with the worst that a worker sees, and what its calls came to', async () => {
    const standing = { pausedMs: { k: 4_200 }, keysSetAside: [], setAside: false, running: 2 };
    const gemini = { provider: 'gemini', model: 'gemini-3-pro-image', ...standing };
    const worker = { service: 'generation-worker', host: 'h', pid: 7 } as const;
    await saveWorkerReport(database.db, {
      ...{ ...worker, id: 'w1', report: { candidates: [{ ...gemini, circuit: 'closed' }] } },
    });
    await saveWorkerReport(database.db, {
      ...{ ...worker, id: 'w2', report: { candidates: [{ ...gemini, circuit: 'open' }] } },
    });
    const task = await createTestTask(database.db, await createTestAccount(database));
    await database.pool.query(
      `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, detail, cost_micros, finished_at)
       SELECT 'c' || n, $1, 1, 'gemini', 'gemini-3-pro-image', 1, '{0}', 'failed', 'overload', 1500, now() + interval '2 s'
         FROM generate_series(1, 3) n`,
      [task.id],
    );
    const { code, value } = await list({ ...stub.environment, PROVIDERS: 'gemini' });
    expect([code, value.workers]).toEqual([0, 2]);
    expect(value.candidates).toContainEqual({
      ...{ model: 'nanobanana-pro', provider: 'gemini', upstream_model: 'gemini-3-pro-image', weight: null },
      cost_per_image: { '1k': '$0.1340', '2k': '$0.1340', '4k': '$0.2400' },
      ...{ circuit: 'open', paused_s: 5, set_aside: false, running: 4 },
    });
    expect(value.calls).toMatchObject([
      { provider: 'gemini', state: 'failed', detail: 'overload', calls: 3, images: 3, cost: '$0.0045' },
    ]);
    expect(Number(value.calls[0]?.mean_ms)).toBeGreaterThan(1_000);
  });

  test('shows the sandbox where nothing is configured', async () => {
    const { value } = await list();
    expect(value.candidates).toMatchObject([
      { model: 'nanobanana', provider: 'sandbox', circuit: 'closed' },
      { model: 'nanobanana-pro', provider: 'sandbox' },
    ]);
  });
});
