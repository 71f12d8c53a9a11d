import { describe, expect, test } from '@jest/globals';
import type { Router } from '../src/routing/create-router.js';
import {
  deliver,
  failing,
  routerOver,
  type ScriptedProvider,
  scriptedProvider,
} from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();
// The images of these tests are far smaller than any resolution.
const small = () => scriptedProvider(deliver, { name: 'small' });

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

  test('an image that is smaller than what was sold is delivered by its provider after all where the others fail', async () => {
    world.start(sending(small(), scriptedProvider(failing('overload'), { name: 'fixed' })));
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 1 });
    expect((await world.calls(id)).filter(({ provider }) => provider === 'small')).toMatchObject([
      { state: 'unusable' },
      { state: 'succeeded', detail: 'below-resolution' },
    ]);
  });
});
