import { describe, expect, test } from '@jest/globals';
import type { Router } from '../src/routing/create-router.js';
import { drawImage } from './support/draw-image.js';
import {
  deliver,
  failing,
  routerOver,
  type Script,
  type ScriptedProvider,
  scriptedProvider,
} from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();
// The images of these tests are far smaller than any resolution.
const small = () => scriptedProvider(deliver, { name: 'small' });

/** Draws each image at its full size. */
const full: Script = async function* ({ slots }) {
  for (const slot of slots) {
    yield { type: 'image', bytes: await drawImage('#336699', { width: 1_024, height: 1_024 }), slot };
  }
};
/** The router with one more route to every provider, for each of these models. */
function withModels(router: Router, ...models: readonly string[]): Router {
  return {
    ...router,
    listCandidates: async (task) => {
      const candidates = await router.listCandidates(task);
      return models.flatMap((model) => candidates.map((candidate) => ({ ...candidate, model })));
    },
  };
}

/** A router whose requests name the resolution, as routes with `sent` do, except those of the provider `fixed`. */
function sending(...providers: ScriptedProvider[]): Router {
  const router = routerOver(...providers);
  return {
    ...router,
    listCandidates: async (task) =>
      (await router.listCandidates(task)).map((candidate) => ({
        ...candidate,
        takesResolution: candidate.provider.name !== 'fixed',
      })),
  };
}
const countAlerts = async (worker: ReturnType<typeof world.start>) =>
  (await worker.metrics.providerAlerts.get()).values.map(({ labels }) =>
    'failure' in labels ? labels.failure : null,
  );

describe('an image that is smaller than what was sold', () => {
  test('an image that is smaller than what was sold counts as unusable while another candidate is left', async () => {
    const fixed = scriptedProvider(deliver, { name: 'fixed' });
    const worker = world.start(sending(small(), fixed));
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 1, tries: 0 });
    expect(await world.calls(id)).toMatchObject([
      { provider: 'small', state: 'unusable', detail: 'too-small' },
      { provider: 'fixed', state: 'succeeded', detail: null },
    ]);
    expect(await countAlerts(worker)).toEqual(['too-small']);
  });

  test('an image that is smaller than what was sold is delivered, recorded and raises an alert where it comes from the last candidate', async () => {
    const only = small();
    const worker = world.start(sending(only));
    const id = await world.submit({ num_outputs: 2 });
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 2, tries: 0 });
    expect(await world.calls(id)).toMatchObject([{ state: 'succeeded', detail: 'below-resolution' }]);
    expect(await countAlerts(worker)).toEqual(['too-small']);
    expect(only.requests).toHaveLength(1);
  });

  test('an image that is smaller than what was sold is kept, and delivered where every other route fails', async () => {
    const first = small();
    const worker = world.start(sending(first, scriptedProvider(failing('overload'), { name: 'fixed' })));
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 1, tries: 0 });
    expect(await world.calls(id)).toMatchObject([
      { provider: 'small', state: 'unusable', detail: 'too-small' },
      { provider: 'fixed', state: 'failed' },
    ]);
    expect(first.requests).toHaveLength(1);
    expect(await countAlerts(worker)).toEqual(['too-small']);
  });

  test.each([
    ['its limit of unusable answers', 3],
    ['its limit of calls', 9],
  ])(
    'an image that is smaller than what was sold comes from the last route that %s allows, each asked once',
    async (_, routes) => {
      const only = small();
      const models = Array.from({ length: routes }, (_model, number) => `m${number}`);
      world.start(withModels(sending(only), ...models));
      const id = await world.submit();
      expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 1, tries: 0 });
      expect(only.requests.map(({ model }) => model)).toEqual(['m0', 'm1']);
      expect(await world.calls(id)).toMatchObject([
        { state: 'unusable', detail: 'too-small' },
        { state: 'succeeded', detail: 'below-resolution' },
      ]);
    },
  );

  test('an image that is smaller than what was sold is delivered where the cost limit of the task allows no other call', async () => {
    const only = small();
    const settings = { MAX_UPSTREAM_COST: '0.0015' };
    world.start(withModels(sending(only), 'm0', 'm1'), { settings });
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 1, tries: 0 });
    expect(only.requests.map(({ model }) => model)).toEqual(['m0']);
  });

  test('an image that is smaller than what was sold, in a call that delivered another one, is not asked of its route again', async () => {
    const mixed = scriptedProvider(
      async function* (request, call, signal) {
        const [slot = 0] = request.slots;
        yield* full({ ...request, slots: [slot] }, call, signal);
        yield* deliver({ ...request, slots: request.slots.slice(1) });
      },
      { name: 'mixed' },
    );
    const fixed = scriptedProvider(full, { name: 'other' });
    world.start(sending(mixed, fixed));
    const id = await world.submit({ num_outputs: 2 });
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 2 });
    expect(await world.calls(id)).toMatchObject([
      { provider: 'mixed', state: 'short', detail: 'too-small' },
      { provider: 'other', state: 'succeeded', slots: [1] },
    ]);
  });
});
