import { eventually, readEvents } from '@image-gateway/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  deliver,
  deliverAfter,
  failing,
  gate,
  routerOver,
  type Script,
  scriptedProvider,
} from './support/scripted-provider.js';
import { createWorld, type World } from './support/world.js';

/** List cost of an image in the router of these tests. */
const COST = 1_000;

let world: World;
beforeEach(async () => {
  world = await createWorld();
  await world.sql(
    `INSERT INTO endpoints (id, slot, url, host_port, types, secret) VALUES ('end_ops', 1, 'https://example.com/', 'example.com:443', '{provider.needs_operator}', 'whsec_x')`,
  );
});
afterEach(async () => {
  await world.test.checkInvariants('rest');
  await world.close();
});

const setCeiling = (micros: number | null, name = 'fake') =>
  world.sql(
    `INSERT INTO provider_limits (name, cost_day_micros) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET cost_day_micros = EXCLUDED.cost_day_micros`,
    [name, micros],
  );
const setPause = (isOn: boolean, name = 'fake') =>
  world.sql(
    `INSERT INTO provider_limits (name, paused_at) VALUES ($1, CASE WHEN $2::bool THEN now() END)
     ON CONFLICT (name) DO UPDATE SET paused_at = EXCLUDED.paused_at`,
    [name, isOn],
  );
const countCalls = async (where = 'true') =>
  (await world.sql(`SELECT count(*)::int AS n FROM provider_calls WHERE ${where}`))[0]?.n;
const readNeeds = async () =>
  (await readEvents(world.test))
    .map(({ data }) => data)
    .sort((a, b) => String(a.reason).localeCompare(String(b.reason)));
const countTasks = async (where: string) =>
  (await world.sql(`SELECT count(*)::int AS n FROM tasks WHERE ${where}`))[0]?.n;
const submitMany = (count: number) => Promise.all(Array.from({ length: count }, () => world.submit()));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const hasWaited = () => expect(JSON.stringify(world.lines)).toMatch(/"a call waits"/);
const wakeAll = () => world.sql("UPDATE tasks SET due_at = now() WHERE status = 'pending'");

test.each([
  ['of the provider', 7 * COST, {}],
  ['of all providers', null, { MAX_UPSTREAM_COST_DAY: '0.007' }],
])(
  'under a ceiling %s exactly as many of 20 concurrent calls of two workers start as it pays for, and the others go on when it is raised',
  async (_whose, micros, settings) => {
    await setCeiling(micros);
    const open = gate();
    const provider = scriptedProvider(deliverAfter(open.passed));
    const workers = [1, 2].map(() => world.start(routerOver(provider), { settings }));
    const ids = await submitMany(20);
    await eventually(async () => expect(await countCalls()).toBe(7));
    await eventually(async () =>
      expect(await countTasks("phase = 'queued' AND tries = 0 AND attempt > 0")).toBe(13),
    );
    expect([await countCalls(), provider.requests.length]).toEqual([7, 7]);
    open.open();
    await eventually(async () => expect(await countCalls("state = 'succeeded'")).toBe(7));
    // Those that have ended count like those that are open.
    await wakeAll();
    await pause(1_000);
    expect(await countCalls()).toBe(7);
    const name = micros === null ? '*' : 'fake';
    expect(await readNeeds()).toEqual([
      expect.objectContaining({
        provider: name,
        reason: expect.stringMatching(/^80 percent .*of \$0\.0070$/),
      }),
      expect.objectContaining({
        provider: name,
        reason: expect.stringMatching(/reached.*\$0\.0070 of \$0\.0070$/),
      }),
    ]);
    await Promise.all(workers.map((worker) => worker.stop()));
    await setCeiling(null);
    world.start(routerOver(provider));
    await wakeAll();
    for (const id of ids) {
      expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0 });
    }
  },
);

test('a task whose first route is at its ceiling takes the next one', async () => {
  await setCeiling(COST - 1, 'first');
  const providers = ['first', 'second'].map((name) => scriptedProvider(deliver, { name }));
  world.start(routerOver(...providers));
  const id = await world.submit();
  expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0, attempt: 1 });
  expect((await world.calls(id)).map(({ provider }) => provider)).toEqual(['second']);
});

test('calls of yesterday count for no ceiling of today', async () => {
  await setCeiling(COST);
  const provider = scriptedProvider(deliver);
  const worker = world.start(routerOver(provider));
  const first = await world.submit();
  expect(await world.ended(first)).toMatchObject({ status: 'completed' });
  const second = await world.submit();
  await eventually(async () => hasWaited());
  // Another worker does not know when to ask again.
  await worker.stop();
  await world.sql('SELECT recount_hours()');
  await world.sql(`UPDATE provider_call_hours SET hour = hour - interval '1 day'`);
  world.start(routerOver(provider));
  await wakeAll();
  await eventually(async () => expect(await countCalls()).toBe(2));
  await world.sql(
    `UPDATE provider_call_hours SET hour = hour + interval '1 day' WHERE hour < date_trunc('day', now(), 'UTC') AND calls > 0`,
  );
  await setCeiling(null);
  expect(await world.ended(second)).toMatchObject({ status: 'completed', tries: 0 });
});

test('an unknown outcome counts at list cost', async () => {
  await setCeiling(COST);
  const script: Script = (request, call) =>
    call === 0 ? failing('unknown')(request, call, AbortSignal.timeout(1)) : deliver(request);
  const provider = scriptedProvider(script);
  const worker = world.start(routerOver(provider));
  await world.ended(await world.submit());
  const second = await world.submit();
  await eventually(async () => hasWaited());
  expect([await countCalls(), await world.task(second)]).toMatchObject([1, { status: 'pending', tries: 0 }]);
  await worker.stop();
  await setCeiling(null);
  world.start(routerOver(provider));
  await wakeAll();
  expect(await world.ended(second)).toMatchObject({ status: 'completed', tries: 0 });
});

test('a pause ends new calls at once while a known job is polled to its end, and resuming goes on within 5 s', async () => {
  const open = gate();
  let isOpen = false;
  void open.passed.then(() => {
    isOpen = true;
  });
  const provider = scriptedProvider(
    async function* (request) {
      if (request.job === null) {
        yield { type: 'job', id: `job-${request.taskId}`, handle: 'h' };
      }
      if (isOpen) {
        yield* deliver(request);
      } else {
        yield { type: 'park', delayMs: 20 };
      }
    },
    { asynchronous: true },
  );
  world.start(routerOver(provider));
  const known = await world.submit();
  await eventually(async () => expect(await world.calls(known)).toMatchObject([{ state: 'submitted' }]));
  await setPause(true);
  const later = await world.submit();
  await eventually(async () => hasWaited());
  open.open();
  expect(await world.ended(known)).toMatchObject({ status: 'completed', tries: 0 });
  expect(await world.calls(later)).toEqual([]);
  expect(await world.task(later)).toMatchObject({ status: 'pending', tries: 0 });
  const resumedAt = performance.now();
  await setPause(false);
  expect(await world.ended(later)).toMatchObject({ status: 'completed', tries: 0 });
  expect(performance.now() - resumedAt).toBeLessThan(6_000);
});

test('a pause with an end ends by itself', async () => {
  await setPause(true);
  await world.sql(`UPDATE provider_limits SET paused_until = now() + interval '1 second'`);
  world.start(routerOver(scriptedProvider(deliver)));
  expect(await world.ended(await world.submit())).toMatchObject({ status: 'completed', tries: 0 });
});
