import { randomBytes } from 'node:crypto';
import { addLook, NOT_DONE } from '@image-gateway/shared/db';
import { type StubUpstreams, startStubUpstreams } from '@image-gateway/stub-upstreams';
import {
  applyCatalog,
  createTestDatabase,
  type Receiver,
  startReceiver,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from './support/run-command.js';

let database: TestDatabase;
let stub: StubUpstreams;
let vendor: Receiver;
let answer: { readonly status: number; readonly body: unknown } = { status: 200, body: {} };
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  [database, stub] = await Promise.all([createTestDatabase(), startStubUpstreams()]);
  vendor = await startReceiver((response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.body));
  });
  await applyCatalog(
    database,
    `
providers: { own: { protocol: openai, base_url: "${vendor.url}/v1", key_env: OWN_KEYS } }
models:
  sketch: { price: { 1k: "0.02" }, types: [image_generate], routes: [{ provider: own, model: sketch-1, cost: { 1k: "0.01" }, resolution: fixed }] }`,
  );
  env = {
    ...stub.environment,
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    OWN_KEYS: 'key-of-my-own',
    PROVIDERS: '',
  } as Record<string, string>;
});
afterAll(async () => {
  await Promise.all([vendor.close(), database.close(), stub.close()]);
});

interface Checked {
  readonly keys: readonly { result: string; status: number | null; reason: string | null }[];
  readonly models: readonly string[] | null;
  readonly missing: readonly string[];
  readonly listed?: boolean;
  readonly note: string | null;
  readonly image: { reason: string | null; width: number; cost: string } | null;
}
const run = (args: readonly string[], changed: Record<string, string> = {}, input = '') =>
  runCommand<Checked>({ env: { ...env, ...changed }, input }, 'provider', 'check', ...args);
const keys = async (name: string, changed: Record<string, string> = {}) => {
  const { code, value } = await run([name], changed);
  return [code, ...value.keys.map(({ result }) => result)];
};
const readRows = async () => (await database.pool.query('SELECT * FROM provider_checks')).rows;

describe('provider check', () => {
  test.each(['gemini', 'fal', 'replicate', 'openrouter', 'openai'])(
    'finds a good key of %s with a free call, and a bad one beside it',
    async (name) => {
      const variable = `${name.toUpperCase()}_API_KEY`;
      const good = String(env[variable]).split(',')[0] ?? '';
      expect(await keys(name, { [variable]: good })).toEqual([0, 'accepted']);
      expect(await keys(name, { [variable]: `${good},not-a-good-key` })).toEqual([1, 'accepted', 'refused']);
    },
  );

  test('lists the models of the vendor, and names those of routes that it lacks', async () => {
    answer = { status: 200, body: { data: [{ id: 'other-1' }, { id: 'other-2' }] } };
    const { value } = await run(['own']);
    expect([value.models, value.missing]).toEqual([['other-1', 'other-2'], ['sketch-1']]);
    const listed = async (model: string) => (await run(['own', '--model', model])).value.listed;
    expect([await listed('other-2'), await listed('sketch'), await listed('nothing')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('says of a 403 that it tells nothing of the key, with the reason of the vendor and without the key', async () => {
    answer = { status: 403, body: { error: { message: 'key-of-my-own may not list\u0007 models' } } };
    const { code, value } = await run(['own']);
    expect(code).toBe(0);
    expect(value.keys).toEqual([
      expect.objectContaining({ result: 'unclear', status: 403, reason: '… may not list models' }),
    ]);
    expect(value.models).toBeNull();
  });

  test('says that a provider without a key has none, and one without an answer cannot be reached', async () => {
    expect((await run(['own'], { OWN_KEYS: '' })).value.note).toContain('has no key');
    const away = await run(['fal'], { FAL_BASE_URL: 'http://127.0.0.1:9' });
    expect(away.value.keys[0]).toMatchObject({ result: 'unclear', status: null });
    expect(away.value.keys[0]?.reason).toContain('127.0.0.1:9 cannot be reached');
    expect((await run(['own'], { OWN_KEYS: 'configured' })).value.error?.message).toContain(
      'Only the generation workers',
    );
    expect((await run(['sandbox'])).value.note).toContain('draws test images');
    const nobody = await run(['nobody']);
    expect([nobody.code, nobody.value.error?.message]).toEqual([
      1,
      expect.stringContaining('There is no provider nobody. There are: gemini'),
    ]);
  });

  test('draws nothing before somebody agrees to its cost', async () => {
    const { code, value } = await run(['gemini', '--draw'], {}, 'n');
    expect([code, value.error?.message]).toEqual([
      1,
      expect.stringMatching(/One image of \S+ at gemini costs about \$0\.\d+\. Nothing was drawn/),
    ]);
    expect(await readRows()).toEqual([]);
  });

  test('draws one image without a running worker, at the cost that it said, and the audit log has it', async () => {
    const drawn = await run(['gemini', '--draw', '--yes']);
    expect(drawn.value.image).toMatchObject({ reason: null, width: expect.any(Number) });
    expect(drawn.code).toBe(0);
    const [row] = await readRows();
    expect(row).toMatchObject({ provider: 'gemini', state: 'done', draws: true, sealed: null });
    expect(Number(row.cost_micros)).toBeGreaterThan(0);
    const { rows } = await database.pool.query("SELECT * FROM audit_entries WHERE action = 'provider.draw'");
    expect(rows).toEqual([expect.objectContaining({ subject: 'gemini' })]);
    const agreed = await run(['fal', '--draw'], {}, 'yes\n');
    expect(agreed.value.image?.reason).toBeNull();
  });

  test('draws nothing at a provider that is paused or has reached its ceiling, and images count for the ceiling', async () => {
    const limit = (...args: string[]) => runCommand({ env }, 'provider', ...args);
    await limit('pause', 'gemini');
    expect((await run(['gemini', '--draw', '--yes'])).value.image?.reason).toBe('it is paused');
    await limit('resume', 'gemini');
    const spent = (await limit('limit', 'gemini', '--cost-day', '0.05')).value as { spent_today?: string };
    expect(Number(spent.spent_today?.slice(1))).toBeGreaterThan(0);
    let reason: string | null | undefined = null;
    for (let tries = 0; tries < 5 && reason === null; tries += 1) {
      reason = (await run(['gemini', '--draw', '--yes'])).value.image?.reason;
    }
    expect(reason).toBe('the ceiling of the day is reached');
    const total = (await limit('limit', 'gemini', '--cost-day', '0.05')).value as { spent_today?: string };
    expect(Number(total.spent_today?.slice(1))).toBeLessThanOrEqual(0.05);
  });

  test('of doctor reads the ends that the list of a vendor states, and those of the last daily look where it has none', async () => {
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const warned = async () =>
      [
        ...JSON.stringify((await runCommand<{ checks: object[] }>({ env }, 'doctor')).value).matchAll(
          /models\.sketch\.routes: its last route \(own sketch-1\) ends on ([\d-]+)/g,
        ),
      ].map(([, on]) => on);
    answer = { status: 200, body: { data: [{ id: 'sketch-1' }] } };
    const result = { ...NOT_DONE, ends: [{ model: 'sketch-1', on: day(20) }] };
    await addLook(database.db, { id: 'chk_look', provider: 'own', result });
    expect(await warned()).toEqual([]);
    answer = { status: 200, body: { data: [{ id: 'sketch-1', shutdown_date: day(10) }] } };
    expect(await warned()).toEqual([day(10)]);
    answer = { status: 500, body: {} };
    expect(await warned()).toEqual([day(20)]);
  });
});
