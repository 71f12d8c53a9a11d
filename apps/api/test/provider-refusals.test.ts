import { addLook } from '@image-gateway/shared/db';
import {
  createTestAccount,
  createTestDatabase,
  reportWorker,
  type TestAccount,
  type TestDatabase,
  takeEvents,
} from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { checkRefusals } from '../src/doctor/check-refusals.js';
import { checkReported } from '../src/doctor/check-reported.js';
import { listProviderNeeds, tellProviderNeeds } from '../src/provider/provider-needs.js';
import { loadRefusals } from '../src/provider/refusals.js';
import { type CallsMade, makeCalls as makeCallsOf, ROUTED, routedBy } from './support/make-calls.js';
import { subscribe } from './support/subscribe.js';

let database: TestDatabase;
let account: TestAccount;
beforeEach(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database);
});
afterEach(async () => {
  await database.checkInvariants('live');
  await database.close();
});

const makeCalls = (calls: Omit<CallsMade, 'of'> & Partial<Pick<CallsMade, 'of'>>): Promise<void> =>
  makeCallsOf(database, { of: account, ...calls });
const listRefusals = async (catalog = ROUTED) =>
  (await loadRefusals(database.db, { catalog, enabledModels: undefined })).refusals;

describe('providers that need an operator', () => {
  const tell = async () => tellProviderNeeds(database.db, await listRefusals());

  test.each([
    ['auth', null, /refuses key f1/],
    ['billing', null, /no money left/],
    ['quota', null, /quota of key f1 is used up/],
    ['model-quota', 'image-1', /quota of key f1 for image-1/],
    ['no-access', 'image-1', /key f1 may not use image-1/],
    ['model-gone', 'image-1', /no longer has image-1/],
    ['geo', null, /does not serve this region/],
  ])('a call that failed with %s is told once a day, with what to do', async (detail, model, words) => {
    await subscribe(database, ['provider.needs_operator']);
    await makeCalls({ detail, times: 3 });
    await Promise.all([tell(), tell(), tell()]);
    const data = {
      provider: 'gemini',
      ...(model !== null && { model }),
      reason: expect.stringMatching(words),
      since: expect.any(String),
    };
    expect(await takeEvents(database)).toEqual([{ type: 'provider.needs_operator', data }]);
    await makeCalls({ detail });
    await tell();
    expect(await takeEvents(database)).toEqual([]);
    await database.pool.query('UPDATE operator_notices SET starts_on = starts_on - 1');
    await tell();
    expect(await takeEvents(database)).toHaveLength(1);
  });

  test('each key and each cause is told for itself; failures that end by themselves are not told', async () => {
    await subscribe(database, ['provider.needs_operator']);
    await makeCalls({ detail: 'auth' });
    await tell();
    expect(await takeEvents(database)).toHaveLength(1);
    await makeCalls({ detail: 'auth', key: 'f2' });
    await makeCalls({ detail: 'auth', provider: 'fal' });
    await makeCalls({ detail: 'billing' });
    for (const detail of ['overload', 'upstream-error', 'timeout', 'rate-limit', 'moderation', 'auth-more']) {
      await makeCalls({ detail });
    }
    await tell();
    expect(await takeEvents(database)).toHaveLength(3);
  });

  test('a success of the same key and model ends the need; that of another key, or an earlier one, does not', async () => {
    const reasons = async () => (await listRefusals()).map(({ observed }) => observed);
    await makeCalls({ detail: null, at: "now() - interval '20 minutes'" });
    await makeCalls({ detail: 'auth', at: "now() - interval '10 minutes'" });
    await makeCalls({ detail: 'no-access', at: "now() - interval '10 minutes'" });
    await makeCalls({ detail: null, key: 'f2' });
    expect(await reasons()).toHaveLength(2);
    await makeCalls({ detail: null, model: 'image-2' });
    expect(await reasons()).toEqual([expect.stringMatching(/may not use/)]);
    await makeCalls({ detail: null });
    expect(await reasons()).toEqual([]);
    await makeCalls({ detail: 'auth', at: "now() - interval '61 minutes'", key: 'f3' });
    expect(await reasons()).toEqual([]);
  });
});

describe('a model whose every provider refuses its calls', () => {
  const catalog = { ...routedBy(['gemini', 'image-1'], ['fal', 'image-1']), instances: new Map() };
  const key = (fingerprint: string) => ({
    source: 'database' as const,
    address: 'a:443',
    keys: [{ fingerprint, lastFour: 'last' }],
  });
  const report = (...providers: string[]) =>
    reportWorker(database, { candidates: [], providers, keys: { gemini: key('f1'), fal: key('f2') } });
  const doctor = async () =>
    (await checkRefusals(database.db, Promise.resolve(catalog), undefined)).filter(
      ({ level }) => level === 'fault',
    );

  test('the only provider in use without money is a fault of doctor, and operators are told which model is not drawn', async () => {
    await subscribe(database, ['provider.needs_operator']);
    await report('gemini');
    await makeCalls({ detail: 'billing' });
    expect(await doctor()).toEqual([
      {
        part: 'models',
        level: 'fault',
        observed: expect.stringMatching(
          /^no provider draws m: gemini: the account behind .* has no money left/,
        ),
        remediation: expect.stringContaining('gateway provider key set NAME'),
      },
    ]);
    const listProviders = () => ({ names: [], sandboxServesRest: false as const });
    await tellProviderNeeds(
      database.db,
      await listProviderNeeds(database.db, { catalog, enabledModels: undefined, listProviders }),
    );
    expect((await takeEvents(database)).map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ model: 'm', reason: expect.stringMatching(/^no provider draws m/) }),
    );
  });

  test('a second provider that serves makes it a warning, until that one refuses too', async () => {
    await report('gemini', 'fal');
    await makeCalls({ detail: 'billing' });
    expect(await doctor()).toEqual([]);
    await makeCalls({ detail: 'auth', provider: 'fal', key: 'f2' });
    expect(await doctor()).toHaveLength(1);
    await makeCalls({ detail: null, provider: 'fal', key: 'f2' });
    expect(await doctor()).toEqual([]);
  });
});

describe('what generation workers report of their machine', () => {
  const here = { SPOOL_DIR: '/nowhere/at/all', SPOOL_MAX: 1 };

  test('doctor looks at the spools that workers report, once a folder, and at the one of its own environment only without them', async () => {
    expect(await checkReported(database.db, here)).toEqual([
      expect.objectContaining({ observed: '/nowhere/at/all does not exist' }),
    ]);
    const mebibyte = 1024 ** 2;
    const spool = { dir: '/srv/spool', free: 5 * mebibyte, max: 4 * mebibyte };
    await reportWorker(database, { spool }, { id: 'w1' });
    await reportWorker(database, { spool }, { id: 'w2' });
    await reportWorker(database, { spool: { ...spool, free: mebibyte } }, { id: 'w3', host: 'other' });
    const found = await checkReported(database.db, here);
    expect(found.map(({ level, observed }) => [level, observed])).toEqual([
      ['ok', '5 MiB free for /srv/spool of h, SPOOL_MAX is 4 MiB'],
      ['warning', '1 MiB free for /srv/spool of other, SPOOL_MAX is 4 MiB'],
    ]);
  });

  test('puts that the object store refuses to a worker are a fault of doctor, with the error', async () => {
    await reportWorker(database, { storeFault: 'put images/a/0.png: 507 InsufficientStorage' });
    const [first] = await checkReported(database.db, null);
    expect(first).toMatchObject({ part: 'object store', level: 'fault' });
    expect(first?.observed).toContain('507 InsufficientStorage');
  });
});

describe('refusals of what is no longer in use', () => {
  const DETAILS = ['auth', 'billing', 'quota', 'model-quota', 'no-access', 'model-gone', 'geo'];
  const name = (fingerprint: string) => ({ fingerprint, lastFour: `${fingerprint}-z` });
  const report = (
    fingerprints: readonly string[],
    {
      providers = ['gemini'],
      id = 'w1',
    }: { readonly providers?: readonly string[]; readonly id?: string } = {},
  ) =>
    reportWorker(
      database,
      {
        candidates: [],
        providers,
        sandboxServesRest: false,
        keys: { gemini: { source: 'database', address: 'a:443', keys: fingerprints.map(name) } },
      },
      { id },
    );
  const listDetails = async (catalog = ROUTED) =>
    (await listRefusals(catalog)).map(({ detail }) => detail).sort();
  const refuseAll = async () => {
    for (const detail of DETAILS) {
      await makeCalls({ detail, at: "now() - interval '10 minutes'" });
    }
  };

  test('those of a key end when no worker has it any more, whoever replaced or removed it; those of others stay', async () => {
    await refuseAll();
    await report(['f1', 'f2']);
    await report(['f2'], { id: 'w2' });
    expect(await listDetails()).toEqual([...DETAILS].sort());
    await report(['f2']);
    expect(await listDetails()).toEqual([]);
    await makeCalls({ detail: 'billing', key: 'f2' });
    await report([], { id: 'w1' });
    expect(await listDetails()).toEqual(['billing']);
    await report([], { id: 'w2' });
    expect(await listDetails()).toEqual([]);
  });

  test('those of a provider end when no worker calls it any more', async () => {
    await refuseAll();
    await report(['f1'], { providers: ['fal'] });
    expect(await listDetails()).toEqual([]);
  });

  test('those of a model end with its route, and those of a provider with its last one', async () => {
    await refuseAll();
    await report(['f1']);
    expect(await listDetails(routedBy(['gemini', 'image-9']))).toEqual(['auth', 'billing', 'geo', 'quota']);
    expect(await listDetails(routedBy(['fal', 'image-1']))).toEqual([]);
    expect(await loadRefusals(database.db, { catalog: ROUTED, enabledModels: ['other'] })).toMatchObject({
      refusals: [],
    });
  });

  test('an operator who resumes the provider ends them until the next one', async () => {
    await refuseAll();
    await report(['f1']);
    await database.pool.query("INSERT INTO provider_limits (name, resumed_at) VALUES ('gemini', now())");
    expect(await listDetails()).toEqual([]);
    await makeCalls({ detail: 'billing' });
    expect(await listDetails()).toEqual(['billing']);
  });

  test('a trial that accepts a refused key ends that, and says nothing of its money', async () => {
    await makeCalls({ detail: 'auth', at: "now() - interval '10 minutes'" });
    await makeCalls({ detail: 'billing', at: "now() - interval '10 minutes'" });
    await report(['f1']);
    const look = (fingerprint: string, result: 'accepted' | 'refused') =>
      addLook(database.db, {
        id: `chk_${fingerprint}_${result}`,
        provider: 'gemini',
        result: {
          keys: [{ fingerprint, result, status: 200, reason: null }],
          models: null,
          ends: null,
          missing: [],
          image: null,
          note: null,
        },
      });
    await look('f1', 'refused');
    await look('f2', 'accepted');
    expect(await listDetails()).toEqual(['auth', 'billing']);
    await look('f1', 'accepted');
    expect(await listDetails()).toEqual(['billing']);
  });

  test('a key is named by its last four letters, which is what lists of keys show', async () => {
    await makeCalls({ detail: 'billing' });
    await report(['f1']);
    expect((await listRefusals()).map(({ observed }) => observed)).toEqual([
      'the account behind key …f1-z has no money left, or is locked',
    ]);
  });

  test('a route cannot be called when all keys of its provider are refused, or the route itself is', async () => {
    const explain = async (model = 'image-1') =>
      (await loadRefusals(database.db, { catalog: ROUTED, enabledModels: undefined })).explainRoute({
        provider: 'gemini',
        model,
      });
    await report(['f1', 'f2']);
    await makeCalls({ detail: 'billing' });
    expect(await explain()).toBeNull();
    await makeCalls({ detail: 'no-access', key: 'f2' });
    expect(await explain()).toBe(
      'the account behind key …f1-z has no money left, or is locked; key …f2-z may not use image-1',
    );
    expect(await explain('image-2')).toBeNull();
    await makeCalls({ detail: 'model-gone', model: 'image-2', key: 'f2' });
    expect(await explain('image-2')).toBe('the vendor no longer has image-2');
    await makeCalls({ detail: null });
    expect(await explain()).toBeNull();
  });
});
