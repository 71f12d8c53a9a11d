import {
  eventually,
  killPrograms,
  type Program,
  type Relay,
  startProgram,
  startRelay,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { deliver, routerOver, scriptedProvider } from './support/scripted-provider.js';
import { createWorld, type World } from './support/world.js';

let world: World;
const relays: Relay[] = [];

beforeAll(async () => {
  world = await createWorld();
});
afterEach(async () => {
  killPrograms();
  await Promise.all(relays.splice(0).map((relay) => relay.close()));
});
afterAll(() => world.close());

/** A fifth of it is for giving tasks back, which is long also for a process that others leave little of the processor. */
const GRACE_MS = 7_500;
/** Supervisors kill a process ten seconds after its grace (docs/container-images.md). */
const GONE_MS = GRACE_MS + 10_000;

async function relayTo(url = ''): Promise<Relay> {
  const relay = await startRelay(url);
  relays.push(relay);
  return relay;
}
const startWorker = (more: Record<string, string> = {}): Program =>
  startProgram('apps/generation-worker', ['src/main.ts'], {
    ...world.env,
    HOST: '127.0.0.1',
    METRICS_PORT: '0',
    SHUTDOWN_GRACE_MS: String(GRACE_MS),
    ...more,
  });
const running = (id: string) =>
  eventually(async () => expect(await world.task(id)).toMatchObject({ phase: 'running', call_count: 1 }));
const stopAndTime = async ({ child, ended }: Program) => {
  const at = Date.now();
  child.kill('SIGTERM');
  return { ...(await ended), tookMs: Date.now() - at };
};
/** Parts that a shutdown left hanging, with the milliseconds that they had. */
const readHanging = ({ output }: Program) =>
  output()
    .split('\n')
    .filter((line) => line.includes('"did not stop in time"'))
    .map((line) => JSON.parse(line) as { readonly parts: readonly string[]; readonly leftMs: number });
const finishElsewhere = async (id: string) => {
  const provider = scriptedProvider(deliver, { name: 'sandbox' });
  const worker = world.start(routerOver(provider));
  const end = await world.ended(id);
  await worker.stop();
  return end;
};

describe('SIGTERM', () => {
  test('SIGTERM lets a short call end and gives a long one back: no try is used up, due at once, and the process ends in time', async () => {
    const program = startWorker();
    const [short, long] = [
      await world.submit({ prompt: 'sandbox:fixed sandbox:delay=4000' }),
      await world.submit({ prompt: 'sandbox:fixed sandbox:delay=60000' }),
    ];
    await running(long);
    expect(await world.task(short)).toMatchObject({ status: 'pending' });
    const { code, tookMs } = await stopAndTime(program);
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(GONE_MS);
    expect(await world.task(short)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(await world.task(long)).toMatchObject({ phase: 'queued', attempt: 1, tries: 0 });
    expect((await world.task(long)).due_at.getTime()).toBeLessThanOrEqual(Date.now());
    expect((await world.calls(long)).map(({ state }) => state)).toEqual(['cut']);
    expect(await finishElsewhere(long)).toMatchObject({ status: 'completed', attempt: 2, tries: 0 });
  });

  test('SIGTERM ends the process in time while Redis is frozen, with the task released', async () => {
    const relay = await relayTo(world.env.REDIS_URL);
    const program = startWorker({ REDIS_URL: relay.url });
    const id = await world.submit({ prompt: 'sandbox:delay=60000' });
    await running(id);
    relay.fallSilent();
    const { code, tookMs } = await stopAndTime(program);
    expect([code, tookMs < GONE_MS]).toEqual([0, true]);
    expect(await world.task(id)).toMatchObject({ phase: 'queued', tries: 0 });
    expect((await finishElsewhere(id)).status).toBe('completed');
  });

  test('SIGTERM ends the process in time while PostgreSQL is frozen: what hangs is left after the grace and half a second', async () => {
    const relay = await relayTo(world.env.DATABASE_URL);
    const program = startWorker({ DATABASE_URL: relay.url });
    const id = await world.submit({ prompt: 'sandbox:delay=60000' });
    await running(id);
    relay.fallSilent();
    const { code, tookMs } = await stopAndTime(program);
    expect([code, tookMs < GONE_MS]).toEqual([0, true]);
    const hanging = readHanging(program);
    expect(hanging.map(({ parts }) => parts)).toEqual([['attempts'], ['database']]);
    expect(hanging.reduce((sum, { leftMs }) => sum + leftMs, 0)).toBeLessThanOrEqual(GRACE_MS + 500);
    await world.sql(`UPDATE tasks SET lease_until = now() - interval '1 s' WHERE id = $1`, [id]);
    expect(await finishElsewhere(id)).toMatchObject({ status: 'completed', tries: 1 });
  });

  test('SIGTERM ends an idle process at once, also before anything was reachable', async () => {
    const program = startWorker({
      DATABASE_URL: 'postgresql://127.0.0.1:1/x',
      REDIS_URL: 'redis://127.0.0.1:1',
      SHUTDOWN_GRACE_MS: '60000',
    });
    await eventually(() => expect(program.output()).toContain('"started"'));
    const { code, tookMs } = await stopAndTime(program);
    expect([code, tookMs < 10_000]).toEqual([0, true]);
  });
});

describe('the process', () => {
  test('the process names every fault of its settings at once and ends with 1', async () => {
    const { ended, errors } = startProgram('apps/generation-worker', ['src/main.ts'], {
      PROVIDERS: 'sandbox,Dall-E',
      GEMINI_BASE_URL: 'x',
      LEASE_MS: '0',
    });
    expect((await ended).code).toBe(1);
    for (const name of [
      'DATABASE_URL',
      'REDIS_URL',
      'S3_ENDPOINT',
      'PROVIDERS',
      'GEMINI_BASE_URL',
      'LEASE_MS',
    ]) {
      expect(errors()).toContain(name);
    }
    expect(errors()).not.toMatch(/\n\s+at /);
  });

  test('the process shows its metrics, and neither prompts nor URLs in its log', async () => {
    const program = startWorker({ LOG_LEVEL: 'debug' });
    const id = await world.submit({
      prompt: 'a secret wish',
      image_urls: ['http://127.0.0.1:9/private/path.png'],
      webhook_url: 'https://customer.example/hook?token=abc',
    });
    await world.ended(id);
    const other = await world.submit({ prompt: 'another secret wish' });
    await world.ended(other);
    const port = /"metricsPort":(\d+)/.exec(program.output())?.[1];
    // The process learns a moment after the database that a task has ended.
    await eventually(async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      expect(text).toMatch(/gateway_tasks_finished_total\{status="completed"[^}]*\} 1/);
      expect(text).toMatch(/gateway_provider_calls_total\{provider="sandbox",outcome="succeeded"[^}]*\} 1/);
    });
    const lines = program.output();
    expect(lines).toContain(`"taskId":"${id}"`);
    expect(lines).toMatch(/"attempt":1.*"requestId":"req_/);
    for (const secret of ['secret wish', 'private/path', 'customer.example', 'token=abc']) {
      expect(lines).not.toContain(secret);
    }
    expect((await stopAndTime(program)).code).toBe(0);
  });

  test('the process whose event loop is stuck for good is killed, so that a fresh one can start', async () => {
    const { ended, errors } = startProgram('apps/generation-worker', ['test/support/stuck-loop.ts'], {});
    expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
    expect(errors()).toContain('the event loop is stuck');
  });
});
