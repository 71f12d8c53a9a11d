import { describe, expect, test } from '@jest/globals';
import { drawImage, getColour } from './support/draw-image.js';
import {
  deliver,
  failing,
  failWith,
  routerOver,
  type Script,
  scriptedProvider,
} from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();

function start(scripts: Record<string, Script>, options: Partial<ReturnType<typeof scriptedProvider>> = {}) {
  const providers = Object.entries(scripts).map(([name, script]) =>
    scriptedProvider(script, { ...options, name }),
  );
  world.start(routerOver(...providers));
  return Object.fromEntries(providers.map(({ name, requests }) => [name, requests]));
}
const image = async (slot: number) => ({ type: 'image', bytes: await drawImage(getColour(slot)) }) as const;
const broken = (bytes: Buffer): Script =>
  async function* () {
    yield { type: 'image', bytes };
  };

describe('fewer images than asked', () => {
  test('the missing ones are asked for at once, and only those', async () => {
    const asked = start({
      a: async function* (request, call) {
        yield* deliver({ ...request, slots: request.slots.slice(0, call === 0 ? 3 : 1) });
      },
    });
    const id = await world.submit({ num_outputs: 4 });
    expect(await world.ended(id)).toMatchObject({
      status: 'completed',
      stored_count: 4,
      attempt: 1,
      tries: 0,
    });
    expect(asked.a?.map(({ slots }) => slots)).toEqual([[0, 1, 2, 3], [3]]);
    expect((await world.calls(id)).map(({ state }) => state)).toEqual(['short', 'succeeded']);
  });

  test('a provider that never has the last one is asked for it twice, then the task is completed with the others', async () => {
    start({ a: (request) => deliver({ ...request, slots: request.slots.filter((slot) => slot < 3) }) });
    const id = await world.submit({ num_outputs: 4 });
    expect(await world.ended(id)).toMatchObject({
      status: 'completed',
      stored_count: 3,
      cost_micros: '30000',
    });
    expect((await world.calls(id)).map(({ state }) => state)).toEqual(['short', 'unusable']);
  });

  test('more than asked: the surplus is dropped', async () => {
    start({
      a: async function* (request) {
        for (const slot of [...request.slots, 7, 8]) {
          yield await image(slot);
        }
      },
    });
    const id = await world.submit({ num_outputs: 4 });
    expect(await world.ended(id)).toMatchObject({ stored_count: 4, cost_micros: '40000', call_count: 1 });
  });
});

describe('a good answer without a usable image', () => {
  const png = drawImage('#123456', { width: 400, height: 300 });
  test.each([
    ['nothing', async () => Buffer.alloc(0)],
    ['a web page', async () => Buffer.from('<!doctype html><title>sorry</title>')],
    ['a GIF', async () => Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64')],
    ['text that calls itself PNG', async () => Buffer.from('\x89PNG\r\n\x1a\nnot really')],
    ['half a PNG', async () => (await png).subarray(0, (await png).length / 2)],
    ['a PNG without its end', async () => (await png).subarray(0, -12)],
    ['a bomb', () => drawImage('#000', { width: 9_000, height: 9_000 })],
  ])(
    'a good answer without a usable image is never stored and asked for twice at most: %s',
    async (_what, bytes) => {
      const asked = start({ a: broken(await bytes()) });
      const id = await world.submit();
      expect(await world.ended(id)).toMatchObject({
        status: 'failed',
        error: 'The upstream provider failed.',
        attempt: 1,
      });
      expect(asked.a).toHaveLength(2);
      expect((await world.calls(id)).map(({ state }) => state)).toEqual(['unusable', 'unusable']);
      expect(await world.store.list(`images/${id}/`)).toEqual([]);
    },
  );

  test('after a good answer without a usable image the next provider is asked in the same attempt', async () => {
    start({ a: broken(Buffer.from('no')), b: deliver });
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', attempt: 1, tries: 0, call_count: 3 });
  });
});

describe('another provider', () => {
  test('another provider is asked in the same attempt for what the first one could not deliver', async () => {
    const asked = start({
      a: async function* (request) {
        yield* deliver({ ...request, slots: request.slots.slice(0, 1) });
        failWith('overload');
      },
      b: deliver,
    });
    const id = await world.submit({ num_outputs: 3 });
    expect(await world.ended(id)).toMatchObject({ status: 'completed', attempt: 1, tries: 0, call_count: 2 });
    expect(asked.b?.map(({ slots }) => slots)).toEqual([[1, 2]]);
  });

  test('another provider is never asked after a moderation refusal', async () => {
    const asked = start({ a: failing('moderation'), b: deliver });
    expect((await world.ended(await world.submit())).status).toBe('failed');
    expect(asked.b).toHaveLength(0);
  });

  test('another provider does not get the task a fourth try: three calls to each, nine tries of nobody', async () => {
    const asked = start({ a: failing('overload'), b: failing('upstream-error'), c: failing('overload') });
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'failed', attempt: 3, call_count: 9 });
    expect([asked.a, asked.b, asked.c].map((requests) => requests?.length)).toEqual([3, 3, 3]);
  });

  test.each(['auth', 'quota', 'model-gone', 'config-drift'] as const)(
    'nobody waits for a provider that is left alone after %s: the task fails at once',
    async (failure) => {
      start({ a: failing(failure) });
      const id = await world.submit();
      expect(await world.ended(id)).toMatchObject({ status: 'failed', attempt: 1, call_count: 1 });
    },
  );

  test('another provider takes over for the rest of the task when the first one refused the key', async () => {
    const asked = start({
      a: failing('auth'),
      b: async function* (request, call) {
        if (call === 0) {
          failWith('overload');
        }
        yield* deliver(request);
      },
    });
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', attempt: 2, call_count: 3 });
    expect(asked.a).toHaveLength(1);
  });
});

describe('an unknown outcome', () => {
  test('an unknown outcome is not repeated with anybody: that image counts as not delivered, the others go on', async () => {
    const asked = start(
      {
        a: async function* (request, call) {
          if (call === 0) {
            failWith('unknown');
          }
          yield* deliver(request);
        },
        b: deliver,
      },
      { maxImagesPerCall: 1 },
    );
    const id = await world.submit({ num_outputs: 2 });
    expect(await world.ended(id)).toMatchObject({
      status: 'completed',
      stored_count: 1,
      cost_micros: '10000',
    });
    expect([asked.a?.length, asked.b?.length]).toEqual([2, 0]);
  });

  test('an unknown outcome is repeated as often as AMBIGUOUS_RETRIES says', async () => {
    const provider = scriptedProvider(failing('unknown'));
    world.start(routerOver(provider), { settings: { AMBIGUOUS_RETRIES: '1' } });
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'failed', call_count: 2 });
    expect((await world.calls(id)).map(({ state }) => state)).toEqual(['unknown', 'unknown']);
  });
});

describe('a rate limit', () => {
  test('a rate limit costs no try and is no call: four of them, and the task still completes on its first try', async () => {
    start({
      a: async function* (request, call) {
        if (call < 4) {
          failWith('rate-limit', 1);
        }
        yield* deliver(request);
      },
    });
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0, attempt: 5 });
    expect((await world.calls(id)).map(({ state }) => state)).toEqual([
      'rate_limited',
      'rate_limited',
      'rate_limited',
      'rate_limited',
      'succeeded',
    ]);
  });

  test('a rate limit sends the task to the next provider at once', async () => {
    start({ a: failing('rate-limit', 60_000), b: deliver });
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', attempt: 1 });
  });
});

test('each call says for which end user it is: one for an account, others for each metadata.user, the same over workers', async () => {
  const workers: ReturnType<typeof start>[] = [];
  const seen = new Set<unknown>();
  const ask = async (metadata?: Readonly<Record<string, string>>) => {
    workers.push(start({ a: deliver }));
    await world.ended(await world.submit({ ...(metadata && { metadata }) }));
    // Any of the workers may have taken it.
    const [request] = workers.flatMap(({ a = [] }) => a).filter((each) => !seen.has(each));
    seen.add(request);
    return request?.endUser;
  };
  const [nobody, ann, same] = [await ask(), await ask({ user: 'ann' }), await ask({ user: 'ann', tag: 'x' })];
  expect(nobody).toMatch(/^gw-[0-9a-f]{40}$/);
  expect(ann).not.toBe(nobody);
  expect(same).toBe(ann);
});
