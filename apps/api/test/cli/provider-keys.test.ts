import { randomBytes } from 'node:crypto';
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

const ENCRYPTION_KEY = randomBytes(32).toString('base64');

let database: TestDatabase;
let stub: StubUpstreams;
let good: string;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  [database, stub] = await Promise.all([createTestDatabase(), startStubUpstreams()]);
  [good = ''] = (stub.environment.GEMINI_API_KEY ?? '').split(',');
  const { GEMINI_API_KEY: _key, ...rest } = stub.environment;
  env = { ...rest, DATABASE_URL: database.url, ENCRYPTION_KEY } as Record<string, string>;
});
afterAll(async () => {
  await Promise.all([database.close(), stub.close()]);
});

const run = (args: readonly string[], input = '', changed: Record<string, string> = {}) =>
  runCommand<Record<string, unknown>>({ env: { ...env, ...changed }, input }, 'provider', 'key', ...args);
const list = async () => (await run(['list'])).value as unknown as { name: string; source: string }[];
const readStored = async () =>
  (await database.pool.query('SELECT name, nonce, sealed FROM provider_keys')).rows;

describe('provider key', () => {
  test('set keeps a key that the provider accepts, encrypted and never shown again, and the audit log says who', async () => {
    expect((await run(['set', 'gemini'], `${good}\n`)).value).toMatchObject({ name: 'gemini', tested: true });
    expect((await list()).find(({ name }) => name === 'gemini')).toMatchObject({
      last_four: good.slice(-4),
      source: 'database',
      by: 'cli',
      tested: true,
    });
    const [before] = await readStored();
    await run(['set', 'gemini'], good);
    const [after] = await readStored();
    // A fresh nonce each time: equal keys are no equal bytes.
    expect([after?.nonce, after?.sealed]).not.toEqual([before?.nonce, before?.sealed]);
    const { rows } = await database.pool.query(
      'SELECT row_to_json(k)::text AS text FROM provider_keys k UNION ALL SELECT row_to_json(a)::text FROM audit_entries a',
    );
    expect(rows.map(({ text }) => text).join()).toContain('provider.key.set');
    expect(rows.map(({ text }) => text).join()).not.toContain(good);
    expect(rows.map(({ text }) => text).join()).not.toContain(Buffer.from(good).toString('hex'));
  });

  test('list names keys of the environment and of the database by their last four letters; a short key shows none', async () => {
    await run(['set', 'fal', '--no-check'], 'fal-first-0001,short-key-2\nfal-third-0003');
    const ofEnvironment = await run(['list'], '', { OPENAI_API_KEY: 'sk-environment-0004,elevenchars' });
    expect(ofEnvironment.value).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'fal', source: 'database', last_four: '0001, 0003' }),
        { name: 'openai', source: 'environment', last_four: '0004' },
      ]),
    );
    expect(JSON.stringify(ofEnvironment.value)).not.toMatch(/ey-2|hars|environment-/);
    await run(['remove', 'fal']);
  });

  test('set refuses a key that the provider refuses, and keeps the former one', async () => {
    const before = await readStored();
    const { code, value } = await run(['set', 'gemini'], 'not-a-good-key-0123456789');
    expect([code, value.error?.message]).toEqual([1, expect.stringContaining('refuses the key')]);
    expect(await readStored()).toEqual(before);
  });

  test('set keeps what it could not try and says so: no answer, or --no-check', async () => {
    const away = await run(['set', 'fal'], 'a-key-of-fal', { FAL_BASE_URL: 'http://127.0.0.1:9' });
    expect(away.value).toMatchObject({
      tested: false,
      address: '127.0.0.1:9',
      reason: expect.stringContaining('cannot be reached'),
    });
    const unchecked = await run(['set', 'replicate', '--no-check'], 'anything-at-all');
    expect(unchecked.value).toMatchObject({ tested: false, reason: 'not checked' });
  });

  test.each([
    ['a key file', '{"type":"service_account","private_key":"x"}', 'is a key file'],
    ['a key with a space', 'sk-a sk-b', 'visible ASCII'],
    ['a key of 100,000 characters', 'a'.repeat(100_000), 'longer than 8 KiB'],
  ])(
    'set refuses %s by name, with --no-check too, and sends and keeps nothing',
    async (_what, input, message) => {
      const before = await readStored();
      stub.forgetCalls();
      for (const flags of [[], ['--no-check']]) {
        const { code, value } = await run(['set', 'gemini', ...flags], input);
        expect([code, value.error?.message]).toEqual([1, expect.stringContaining(message)]);
        expect(value.error?.message).not.toContain(input);
      }
      expect(await readStored()).toEqual(before);
      expect(stub.calls()).toEqual([]);
    },
  );

  test.each([
    ['an empty input', ['set', 'gemini'], '', {}, 'holds no key'],
    ['a provider that is none', ['set', 'nobody'], 'k', {}, 'no provider nobody'],
    [
      'no ENCRYPTION_KEY',
      ['set', 'gemini', '--no-check'],
      'k',
      { ENCRYPTION_KEY: '' },
      'ENCRYPTION_KEY is not set',
    ],
    ['a short ENCRYPTION_KEY', ['set', 'gemini', '--no-check'], 'k', { ENCRYPTION_KEY: 'abcd' }, '32 bytes'],
    ['nothing to remove', ['remove', 'openai'], '', {}, 'No key of openai'],
  ])('is refused with %s', async (_what, args, input, changed, message) => {
    const { code, value } = await run(args, input, changed as unknown as Record<string, string>);
    expect([code, value.error?.message]).toEqual([1, expect.stringContaining(message)]);
  });

  test('doctor, with another ENCRYPTION_KEY, leads from the provider without a key to the stored one that is not used', async () => {
    await run(['set', 'gemini'], good);
    const other = { ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const { value } = await runCommand<{ checks: DoctorCheck[] }>({ env: { ...env, ...other } }, 'doctor');
    const faults = value.checks.filter(({ level }) => level === 'fault');
    expect(faults).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          part: 'gemini',
          seen: expect.stringContaining('without a key'),
          mend: expect.stringContaining('A line "stored keys" says why'),
        }),
        expect.objectContaining({ part: 'stored keys', seen: expect.stringContaining('the key of gemini') }),
      ]),
    );
  });

  test('remove forgets a key', async () => {
    expect((await run(['remove', 'gemini'])).value).toEqual({ name: 'gemini', running_jobs: 0 });
    expect((await list()).some(({ name }) => name === 'gemini')).toBe(false);
  });

  test('set and remove keep a former key for running jobs alone, and remove --now does not', async () => {
    await run(['set', 'replicate', '--no-check'], 'first-of-replicate');
    const task = await createTestTask(database.db, await createTestAccount(database));
    await database.pool.query(
      `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, provider_request_id, state, cost_micros)
       VALUES ('call_1', $1, 1, 'replicate', 'm', 1, '{0}', 'job-1', 'submitted', 1000)`,
      [task.id],
    );
    const sources = async () =>
      (await list())
        .filter(({ name, source }) => name === 'replicate' && source !== 'environment')
        .map(({ source }) => source);
    await run(['set', 'replicate', '--no-check'], 'second-of-replicate');
    expect(await sources()).toEqual(['database', 'ending']);
    await database.pool.query("UPDATE provider_calls SET key_fingerprint = 'gone' WHERE id = 'call_1'");
    const { value } = await runCommand<{ checks: { part: string; message?: string }[] }>({ env }, 'doctor');
    expect(JSON.stringify(value.checks)).toContain('running jobs have the key gone, which is not here: 1');
    expect((await run(['remove', 'replicate'])).value).toEqual({ name: 'replicate', running_jobs: 1 });
    expect(await sources()).toEqual(['ending', 'ending']);
    // Their encryption key is needed as long as they are.
    await database.pool.query("DELETE FROM provider_keys WHERE name <> 'gemini'");
    const both = { ENCRYPTION_KEY: `${randomBytes(32).toString('base64')},${ENCRYPTION_KEY}` };
    await run(['set', 'gemini', '--no-check'], 'under-the-first', both);
    const isOver = async () =>
      JSON.stringify(
        (await runCommand<{ checks: object[] }>({ env: { ...env, ...both } }, 'doctor')).value,
      ).includes('all are encrypted with the first ENCRYPTION_KEY');
    expect(await isOver()).toBe(false);
    expect((await run(['remove', 'replicate', '--now'])).value).toEqual({
      name: 'replicate',
      running_jobs: 1,
    });
    expect(await sources()).toEqual([]);
    expect(await isOver()).toBe(true);
    expect((await run(['remove', 'replicate', '--now'])).code).toBe(1);
  });
});
