import { readBuiltInCatalog, type StatedEnd } from '@image-gateway/shared/catalog/document';
import { addLook } from '@image-gateway/shared/db';
import { createLogger } from '@image-gateway/shared/logging';
import {
  createTestAccount,
  createTestDatabase,
  eventually,
  reportWorker,
  type TestAccount,
  type TestDatabase,
  takeEvents,
} from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { listModeratedAccounts, tellModeratedAccounts } from '../src/provider/moderated-accounts.js';
import { listModelNeeds, listProviderNeeds, tellProviderNeeds } from '../src/provider/provider-needs.js';
import { sweepNeeds } from '../src/provider/sweep-needs.js';
import { type CallsMade, makeCalls as makeCallsOf } from './support/make-calls.js';
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

const TODAY = "date_trunc('day', now(), 'UTC')";

describe('accounts that moderation refuses', () => {
  test('the 21st refused call of a day is told, once, however many processes look at the same time and again', async () => {
    await subscribe(database, ['account.moderated']);
    const other = await createTestAccount(database);
    await makeCalls({ detail: 'moderation', times: 20, at: TODAY });
    await makeCalls({ detail: 'moderation', times: 20, of: other });
    await makeCalls({ detail: 'invalid-input', times: 30 });
    await tellModeratedAccounts(database.db);
    expect(await takeEvents(database)).toEqual([]);
    await makeCalls({ detail: 'moderation', provider: 'fal' });
    await Promise.all(Array.from({ length: 10 }, () => tellModeratedAccounts(database.db)));
    const data = { account_id: account.id, refused: 21, since: expect.stringMatching(/T00:00:00\.000Z$/) };
    expect(await takeEvents(database)).toEqual([{ type: 'account.moderated', data }]);
    await makeCalls({ detail: 'moderation', times: 30 });
    await tellModeratedAccounts(database.db);
    expect(await takeEvents(database)).toEqual([]);
  });

  test('each day is counted by itself, and the next one is told again', async () => {
    await subscribe(database, ['account.moderated']);
    await makeCalls({ detail: 'moderation', times: 20 });
    await makeCalls({ detail: 'moderation', times: 20, at: `${TODAY} - interval '1 millisecond'` });
    await tellModeratedAccounts(database.db);
    expect(await takeEvents(database)).toEqual([]);
    await database.pool.query(
      "INSERT INTO operator_notices VALUES ('account.moderated', $1, (now() AT TIME ZONE 'UTC')::date - 1)",
      [account.id],
    );
    await makeCalls({ detail: 'moderation' });
    await tellModeratedAccounts(database.db);
    expect(await takeEvents(database)).toHaveLength(1);
  });

  test('an endpoint that is registered later hears of the day too', async () => {
    await makeCalls({ detail: 'moderation', times: 21 });
    await tellModeratedAccounts(database.db);
    await subscribe(database, ['account.moderated']);
    await tellModeratedAccounts(database.db);
    expect(await takeEvents(database)).toHaveLength(1);
  });

  test('operators see each account with its providers, numbers and times, those with most refusals first', async () => {
    const other = await createTestAccount(database);
    await makeCalls({ detail: 'moderation', times: 12 });
    await makeCalls({ detail: 'moderation', times: 9, provider: 'fal' });
    await makeCalls({ detail: 'moderation', times: 20, of: other });
    await makeCalls({ detail: 'moderation', times: 50, of: other, at: "now() - interval '3 hours'" });
    const since = new Date(Date.now() - 3_600_000);
    const list = async (over: number) =>
      (await listModeratedAccounts(database.db, { since, over })).map((one) => [
        one.account_id,
        one.provider,
        one.refused,
      ]);
    const first = [
      [account.id, 'gemini', 12],
      [account.id, 'fal', 9],
    ];
    expect(await list(0)).toEqual([...first, [other.id, 'gemini', 20]]);
    expect(await list(20)).toEqual(first);
  });
});

describe('models that lose their last route', () => {
  const builtIn = readBuiltInCatalog();
  const known = builtIn.models.get('nanobanana');
  if (!known) {
    throw new Error('the built-in catalog has no nanobanana');
  }
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const catalogWith = (on: string | null) => {
    const retires = on === null ? null : { on, successor: 'image-2' };
    const routes = known.routes
      .filter(({ provider }) => provider === 'gemini')
      .map((route) => ({ ...route, retires }));
    return { ...builtIn, models: new Map([['nanobanana', { ...known, routes }]]) };
  };
  const needsWith = (
    on: string | null,
    names = ['gemini'],
    nowMs = Date.now(),
    stated: readonly StatedEnd[] = [],
  ) =>
    listModelNeeds(
      {
        catalog: catalogWith(on),
        enabledModels: undefined,
        providers: { names, sandboxServesRest: false },
        stated,
      },
      nowMs,
    );

  test('an end is told once from 30 days before, with what to write instead, once from 7 days before, and once when it has come', async () => {
    await subscribe(database, ['provider.needs_operator']);
    expect(needsWith(day(31))).toEqual([]);
    for (let look = 0; look < 3; look++) {
      await tellProviderNeeds(database.db, needsWith(day(30)));
    }
    const data = { provider: 'gemini', model: 'nanobanana', since: expect.any(String) };
    const reason = expect.stringContaining(`ends on ${day(30)}; write image-2 instead`);
    expect(await takeEvents(database)).toEqual([
      { type: 'provider.needs_operator', data: expect.objectContaining({ ...data, reason }) },
    ]);
    const theDay = new Date(day(30)).getTime();
    const tellAt = async (...days: readonly number[]) => {
      for (const one of days) {
        await tellProviderNeeds(database.db, needsWith(day(30), ['gemini'], theDay + one * 86_400_000));
      }
      return (await takeEvents(database)).length;
    };
    expect(await tellAt(-29, -8)).toBe(0);
    expect(await tellAt(-7, -6, -1)).toBe(1);
    expect(await tellAt(0, 1)).toBe(1);
  });

  test('an end that is nearer than 7 days when it becomes known is told at once', async () => {
    await subscribe(database, ['provider.needs_operator']);
    for (let look = 0; look < 2; look++) {
      await tellProviderNeeds(database.db, needsWith(day(3)));
    }
    expect(await takeEvents(database)).toHaveLength(1);
  });

  test('an end that the list of a vendor states is told like a known one: from 30 days before, from 7 days before, and when it has come', async () => {
    await subscribe(database, ['provider.needs_operator']);
    await reportWorker(database, { candidates: [], providers: ['gemini'], sandboxServesRest: false });
    const ending = known.routes.filter(({ provider }) => provider === 'gemini').map(({ model }) => model);
    const state = (on: string) =>
      addLook(database.db, {
        id: `chk_${on}`,
        provider: 'gemini',
        result: {
          keys: [],
          models: null,
          ends: ending.map((model) => ({ model, on })),
          missing: [],
          image: null,
          note: null,
        },
      });
    const tell = async () => {
      const sources = {
        catalog: catalogWith(null),
        enabledModels: undefined,
        listProviders: () => ({ names: [], sandboxServesRest: false as const }),
      };
      await tellProviderNeeds(database.db, await listProviderNeeds(database.db, sources));
      return (await takeEvents(database)).map(({ data }) => String(data.reason).match(/ends on [\d-]+/)?.[0]);
    };
    expect(await tell()).toEqual([]);
    await state(day(31));
    expect(await tell()).toEqual([]);
    await state(day(30));
    expect([await tell(), await tell()]).toEqual([[`ends on ${day(30)}`], []]);
    await state(day(7));
    expect([await tell(), await tell()]).toEqual([[`ends on ${day(7)}`], []]);
    await state(day(0));
    expect([await tell(), await tell()]).toEqual([[`ends on ${day(0)}`], []]);
  });

  test('a model that no provider in use can draw is told once a day', async () => {
    await subscribe(database, ['provider.needs_operator']);
    expect(needsWith(null)).toEqual([]);
    await tellProviderNeeds(database.db, needsWith(null, ['fal']));
    await tellProviderNeeds(database.db, needsWith(null, ['fal']));
    const reason = expect.stringMatching(/^nanobanana is enabled and not on offer/);
    const data = { provider: 'gemini', model: 'nanobanana', reason, since: expect.any(String) };
    expect(await takeEvents(database)).toEqual([{ type: 'provider.needs_operator', data }]);
  });

  test('nothing is said of models before a worker has reported, and then what it can call decides', async () => {
    const listProviders = () => ({ names: [], sandboxServesRest: false as const });
    const list = async () =>
      (
        await listProviderNeeds(database.db, {
          catalog: catalogWith(null),
          enabledModels: undefined,
          listProviders,
        })
      ).map(({ kind }) => kind);
    const report = (providers: string[]) =>
      reportWorker(database, { candidates: [], providers, sandboxServesRest: false });
    expect(await list()).toEqual([]);
    await report(['gemini']);
    expect(await list()).toEqual([]);
    await report([]);
    expect(await list()).toEqual(['no-route']);
  });
});

test('processes that look for themselves tell each need once, also after a restart', async () => {
  await subscribe(database, ['account.moderated', 'provider.needs_operator']);
  await makeCalls({ detail: 'moderation', times: 21 });
  await makeCalls({ detail: 'auth' });
  const catalog = readBuiltInCatalog();
  const sources = {
    feed: { load: () => Promise.resolve({ version: 1, newestVersion: 1, catalog }) },
    enabledModels: undefined,
    listProviders: () => ({ names: ['gemini'], sandboxServesRest: false as const }),
  };
  const lines: string[] = [];
  const logger = createLogger({ service: 'api', level: 'debug', write: (line) => lines.push(line) });
  const start = () => sweepNeeds({ db: database.db, logger, everyMs: 20, ...sources });
  const countTurns = async () =>
    (await database.pool.query<{ due_at: Date }>("SELECT due_at FROM sweep_turns WHERE name = 'tell-needs'"))
      .rows[0]?.due_at;
  const stops = [start(), start(), start()];
  await eventually(async () => {
    const { rows } = await database.pool.query('SELECT FROM endpoint_deliveries');
    expect(rows).toHaveLength(2);
  });
  await Promise.all(stops.map((stop) => stop()));
  const before = await countTurns();
  const again = start();
  await eventually(async () => expect(await countTurns()).not.toEqual(before));
  await again();
  expect((await takeEvents(database)).map(({ type }) => type).sort()).toEqual([
    'account.moderated',
    'provider.needs_operator',
  ]);
  expect(lines).toEqual([]);
});
