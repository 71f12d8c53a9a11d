import { listStatedEnds } from '@image-gateway/shared/db';
import { createLogger } from '@image-gateway/shared/logging';
import { type StubUpstreams, startStubUpstreams } from '@image-gateway/stub-upstreams';
import { createTestDatabase, type TestDatabase } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { lookForEnds } from '../src/checks/look-for-ends.js';
import { readCheckSettings } from '../src/env.js';

let database: TestDatabase;
let stub: StubUpstreams;
beforeAll(async () => {
  stub = await startStubUpstreams({ ends: { 'gpt-image-2': '2026-12-20' } });
});
afterAll(() => stub.close());
beforeEach(async () => {
  database = await createTestDatabase();
  stub.forgetCalls();
  stub.behaveWell();
});
afterEach(async () => {
  await database.checkInvariants('live');
  await database.close();
});

const look = (settings: Readonly<Record<string, string>> = {}, signal = new AbortController().signal) =>
  lookForEnds({
    db: database.db,
    settings: readCheckSettings({
      ...stub.environment,
      DATABASE_URL: database.url,
      PROVIDERS: 'openai,fal',
      ...settings,
    }),
    logger: createLogger({ service: 'test', level: 'error' }),
    signal,
  });
/** Providers that were asked, in order. */
const asked = () => [...new Set(stub.calls({ kind: 'check' }).map(({ provider }) => provider))];
const sql = (text: string) => database.pool.query(text);
/** As if so long had gone by. */
const age = async (interval: string): Promise<void> => {
  await sql(`UPDATE provider_checks SET created_at = created_at - interval '${interval}'`);
  await sql(`UPDATE sweep_turns SET due_at = due_at - interval '${interval}'`);
};
const ends = [{ provider: 'openai', model: 'gpt-image-2', on: '2026-12-20' }];

describe('the daily look at the lists of providers', () => {
  test('the daily look at the lists of providers is one worker’s, once a day, and keeps the ends that they state', async () => {
    await Promise.all([look(), look(), look()]);
    expect(asked()).toEqual(['openai']);
    // One for each key.
    expect(stub.calls({ kind: 'check' })).toHaveLength(2);
    expect(await listStatedEnds(database.db)).toEqual(ends);
    await age('23 hours');
    await look();
    expect(stub.calls({ kind: 'check' })).toHaveLength(2);
    await age('1 hour');
    await look();
    expect(stub.calls({ kind: 'check' })).toHaveLength(4);
  });

  test('the daily look at the lists of providers goes on where a killed worker left it', async () => {
    const ending = AbortSignal.abort();
    await expect(look({}, ending)).rejects.toThrow();
    await look();
    expect(asked()).toEqual([]);
    await age('10 minutes');
    await look();
    expect(asked()).toEqual(['openai']);
  });

  test('the daily look at the lists of providers keeps a known end while a provider does not answer, and forgets one that it no longer states', async () => {
    await look();
    await age('1 day');
    stub.behave('openai', { mode: 'server-error', on: ['check'] });
    await look();
    expect(await listStatedEnds(database.db)).toEqual(ends);
    await age('1 day');
    stub.behaveWell();
    const calm = await startStubUpstreams();
    await look({ OPENAI_BASE_URL: calm.url });
    await calm.close();
    expect(await listStatedEnds(database.db)).toEqual([]);
  });

  test('the daily look at the lists of providers asks only those in use', async () => {
    await look({ PROVIDERS: 'fal' });
    expect(asked()).toEqual([]);
    expect(await listStatedEnds(database.db)).toEqual([]);
  });
});
