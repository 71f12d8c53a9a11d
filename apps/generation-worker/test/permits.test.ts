import { eventually } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import type { Router } from '../src/routing/create-router.js';
import {
  deliver,
  gate,
  routerOver,
  type ScriptedProvider,
  scriptedProvider,
} from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();
const CALL_MS = 150;

/** A router that has one route of one call for `nanobanana`, and a fast route for any other model. */
function routeByModel(slow: ScriptedProvider, fast: ScriptedProvider, concurrency: () => number): Router {
  const [one, other] = [routerOver(slow), routerOver(fast)];
  return {
    ...one,
    listCandidates: async (task) =>
      task.model === 'nanobanana'
        ? (await one.listCandidates(task)).map((candidate) => ({ ...candidate, concurrency: concurrency() }))
        : other.listCandidates(task),
  };
}
const makeSlow = (times: number[], ms = CALL_MS) =>
  scriptedProvider(
    async function* (request) {
      times.push(performance.now());
      await new Promise((resolve) => setTimeout(resolve, ms));
      yield* deliver(request);
    },
    { name: 'slow', maxImagesPerCall: 1 },
  );

describe('a route with few calls at a time', () => {
  test('delays no task of another model, takes no try, and runs one call after the other', async () => {
    const times: number[] = [];
    const slow = makeSlow(times);
    const fast = scriptedProvider(deliver, { name: 'fast' });
    world.start(
      routeByModel(slow, fast, () => 1),
      { settings: { GENERATION_CONCURRENCY: '4' } },
    );
    const ids = await Promise.all(Array.from({ length: 24 }, () => world.submit()));
    await eventually(async () => expect(times.length).toBeGreaterThan(0));
    const before = times.length;
    const other = await world.submit({ model: 'nanobanana-pro' });
    expect(await world.ended(other)).toMatchObject({ status: 'completed', tries: 0 });
    // Counted in calls of the slow route, so that a busy machine changes nothing: two seconds have 13 of them.
    expect(times.length - before).toBeLessThan(13);
    for (const id of ids) {
      expect(await world.ended(id, 30_000)).toMatchObject({ status: 'completed', tries: 0, call_count: 1 });
    }
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(CALL_MS - 20);
  });

  test('a route with few calls at a time wakes the next task when a call ends, however late it is due', async () => {
    const { passed, open } = gate();
    const slow = scriptedProvider(async function* (request) {
      await passed;
      yield* deliver(request);
    });
    world.start(routeByModel(slow, slow, () => 1));
    const ids = [await world.submit(), await world.submit()];
    await eventually(async () => {
      const waiting = await world.test.pool.query(
        `UPDATE tasks SET due_at = deadline_at WHERE id = ANY($1) AND phase = 'queued' AND attempt = 1`,
        [ids],
      );
      expect(waiting.rowCount).toBe(1);
    });
    open();
    for (const id of ids) {
      expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0, call_count: 1 });
    }
  });

  test('a route with few calls at a time lets more calls run once its number has risen, without a restart', async () => {
    const times: number[] = [];
    const slow = makeSlow(times, 8_000);
    let concurrency = 1;
    world.start(routeByModel(slow, slow, () => concurrency));
    const ids = [await world.submit(), await world.submit()];
    await eventually(async () => expect(times).toHaveLength(1));
    concurrency = 3;
    ids.push(await world.submit());
    await eventually(async () => expect(times).toHaveLength(3), { timeoutMs: 7_000 });
    for (const id of ids) {
      expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0 });
    }
  });

  test('serves a task whose permit became free while the worker gave its place back', async () => {
    const times: number[] = [];
    const slow = makeSlow(times);
    world.start(
      routeByModel(slow, slow, () => 1),
      {
        db: (db) => ({
          ...db,
          run: async (statement, values) => {
            if (statement.name === 'find-cancel-request') {
              // The call of the other task ends meanwhile.
              await new Promise((resolve) => setTimeout(resolve, CALL_MS * 4));
            }
            return db.run(statement, values);
          },
        }),
      },
    );
    const ids = await Promise.all(Array.from({ length: 3 }, () => world.submit()));
    for (const id of ids) {
      expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0, call_count: 1 });
    }
  });

  test('asks the next candidate where that one has a free permit', async () => {
    const times: number[] = [];
    const slow = makeSlow(times, 1_000);
    const fast = scriptedProvider(deliver, { name: 'fast' });
    const router = routerOver(slow, fast);
    world.start({ ...router, listCandidates: async (task) => limitFirst(await router.listCandidates(task)) });
    const [first, second] = [await world.submit(), await world.submit()];
    await Promise.all([first, second].map((id) => world.ended(id)));
    const providers = [...(await world.calls(first)), ...(await world.calls(second))].map(
      ({ provider }) => provider,
    );
    expect(providers.sort()).toEqual(['fast', 'slow']);
  });
});

function limitFirst<T extends { concurrency: number }>([first, ...rest]: readonly T[]): T[] {
  return first ? [{ ...first, concurrency: 1 }, ...rest] : [];
}
