import { eventually } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { drawImage } from './support/draw-image.js';
import {
  deliver,
  failWith,
  gate,
  routerOver,
  type Script,
  scriptedProvider,
} from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();
const image = await drawImage('#abcdef');
/** Delivers an image, and does something else then. */
const deliverThen = (end: () => Promise<void>): Script =>
  async function* () {
    yield { type: 'image', bytes: image };
    await end();
  };

describe('the memory of a call', () => {
  test('the memory of a call is given back when all its images are stored', async () => {
    const provider = scriptedProvider(deliver);
    world.start(routerOver(provider));
    const id = await world.submit({ num_outputs: 2 });
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 2 });
    expect(provider.received.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0]);
  });

  test('the memory of a call that failed is left to what may still read it', async () => {
    const provider = scriptedProvider(deliverThen(() => failWith('overload')));
    world.start(routerOver(provider, scriptedProvider(deliver, { name: 'other' })));
    const id = await world.submit({ num_outputs: 2 });
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 2 });
    expect(provider.received).toEqual([image]);
  });

  test('the memory of a call that was stopped is left to what may still read it', async () => {
    const provider = scriptedProvider(deliverThen(() => gate().passed));
    const worker = world.start(routerOver(provider));
    const id = await world.submit();
    await eventually(async () => expect(await world.store.list(`images/${id}/`)).toHaveLength(1));
    await worker.stop();
    expect(provider.received).toEqual([image]);
    world.start(routerOver(scriptedProvider(deliver)));
    expect(await world.ended(id)).toMatchObject({ status: 'completed', attempt: 2 });
  });
});
