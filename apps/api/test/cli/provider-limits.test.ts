import { saveWorkerReport, type WorkerReport } from '@image-gateway/shared/db';
import { createTestDatabase, reportWorker, type TestDatabase } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { summarizeProviders } from '../../src/provider/summarize-providers.js';
import { runCommand } from './support/run-command.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const run = (...args: string[]) =>
  runCommand<Record<string, unknown>>(
    { db: database.db, env: { PROVIDERS: 'sandbox' } },
    'provider',
    ...args,
  );
const readAudit = async () =>
  (
    await database.pool.query(
      `SELECT action, subject, detail FROM audit_entries WHERE action LIKE 'provider.%' ORDER BY created_at, id`,
    )
  ).rows;

test('limit sets, shows and removes a ceiling, pause and resume say until when, and each change is in the audit log', async () => {
  const set = await run('limit', 'fal', '--cost-day', '50.00');
  expect(set.value).toEqual({
    name: 'fal',
    cost_day: '$50.0000',
    spent_today: '$0.00',
    paused: false,
    paused_until: null,
  });
  expect((await run('limit', 'fal')).value).toEqual(set.value);
  const before = Date.now();
  const { value: paused } = await run('pause', 'fal', '--for', '2h');
  expect(paused).toMatchObject({ name: 'fal', cost_day: '$50.0000', paused: true });
  expect(Math.abs(Date.parse(String(paused.paused_until)) - before - 7_200_000)).toBeLessThan(60_000);
  expect((await run('pause', 'gemini')).value).toMatchObject({ paused: true, paused_until: null });
  expect((await run('resume', 'fal')).value).toMatchObject({ paused: false, paused_until: null });
  expect((await run('limit', 'fal', '--cost-day', '')).value).toMatchObject({
    cost_day: null,
    paused: false,
  });
  expect(await readAudit()).toEqual([
    { action: 'provider.limit', subject: 'fal', detail: { actor: 'cli', costDay: '$50.0000', before: null } },
    {
      action: 'provider.pause',
      subject: 'fal',
      detail: { actor: 'cli', until: paused.paused_until },
    },
    { action: 'provider.pause', subject: 'gemini', detail: { actor: 'cli', until: null } },
    { action: 'provider.resume', subject: 'fal', detail: { actor: 'cli' } },
    { action: 'provider.limit', subject: 'fal', detail: { actor: 'cli', costDay: null, before: '$50.0000' } },
  ]);
  expect((await run('resume', 'gemini')).code).toBe(0);
});

test('ceilings and pauses are shown by the overview of providers and on the page, with the ceiling that workers have for all', async () => {
  await run('limit', 'openai', '--cost-day', '0');
  await reportWorker(database, {
    candidates: [],
    maxCostDay: '$12.0000',
    providers: ['sandbox'],
    sandboxServesRest: true,
  });
  const all = {
    provider: '*',
    cost_day: '$12.0000',
    spent_today: '$0.00',
    paused: false,
    paused_until: null,
  };
  const limits = [all, { ...all, provider: 'openai', cost_day: '$0.00' }];
  const { value } = await runCommand<{ limits: unknown }>(
    { db: database.db, env: { PROVIDERS: 'sandbox' } },
    'providers',
  );
  expect(value.limits).toEqual(limits);
  expect(await summarizeProviders(database.db, { hours: 1, enabledModels: undefined })).toMatchObject({
    limits,
  });
});

test('resume ends pauses that workers keep by themselves, and every worker hears of it with its next report', async () => {
  const standing = { circuit: 'closed', keysSetAside: [], setAside: false, running: 0 } as const;
  const candidates = [
    {
      provider: 'replicate',
      model: 'm',
      ...standing,
      pausedMs: { k: 60_000 },
      pauseCauses: ['rate-limit' as const],
    },
  ];
  await reportWorker(database, { candidates }, { id: 'resumed' });
  expect((await run('resume', 'replicate')).value).toMatchObject({ name: 'replicate', paused: false });
  expect(await readAudit()).toContainEqual({
    action: 'provider.resume',
    subject: 'replicate',
    detail: { actor: 'cli' },
  });
  const heard = await saveWorkerReport(database.db, {
    id: 'resumed',
    service: 'generation-worker',
    host: 'h',
    pid: 1,
    report: { candidates: [{ ...candidates[0], pausedMs: {} }] },
  } as WorkerReport);
  expect(heard).toContainEqual({ name: 'replicate', resumedAt: expect.any(Date) });
  expect((await run('resume', 'replicate')).code).toBe(1);
});

test.each([
  ['a provider that is none', ['limit', 'nobody', '--cost-day', '1'], 'no provider nobody'],
  ['an amount that is none', ['limit', 'fal', '--cost-day', 'much'], '--cost-day'],
  ['a time that is none', ['pause', 'fal', '--for', 'soon'], '--for'],
  ['a time of zero', ['pause', 'fal', '--for', '0h'], '--for'],
  ['a provider that is not paused', ['resume', 'fal'], 'not paused'],
])('the commands refuse %s', async (_what, args, message) => {
  const { code, value } = await run(...args);
  expect([code, (value.error as { message: string }).message]).toEqual([1, expect.stringContaining(message)]);
});
