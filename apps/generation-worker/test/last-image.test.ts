import { eventually } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { drawImage } from './support/draw-image.js';
import { deliver, gate, routerOver, type Script, scriptedProvider } from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();

function start(script: Script, settings: Record<string, string> = {}) {
  const provider = scriptedProvider(script);
  return { provider, worker: world.start(routerOver(provider), { settings }) };
}
/** Delivers an image, and ends later. */
const deliverAndWait = (end: Promise<void>): Script =>
  async function* () {
    yield { type: 'image', bytes: await drawImage('#abcdef') };
    await end;
  };
const stored = (id: string) =>
  eventually(async () => expect(await world.store.list(`images/${id}/`)).toHaveLength(1));

describe('a last image whose row comes with the settlement', () => {
  test('a worker that stops before the settlement saves it, and the next one buys nothing', async () => {
    const { worker } = start(deliverAndWait(gate().passed));
    const id = await world.submit();
    await stored(id);
    expect(await world.outputs(id)).toEqual([]);
    await worker.stop();
    expect(await world.task(id)).toMatchObject({
      status: 'pending',
      phase: 'queued',
      stored_count: 1,
      tidy_attempt: 1,
    });
    expect(await world.calls(id)).toMatchObject([{ state: 'cut' }]);
    const { provider } = start(deliver);
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 1, attempt: 2 });
    expect(provider.requests).toEqual([]);
  });

  test('a worker that is overtaken before the settlement reports its call, and the next one adopts the image', async () => {
    const late = gate();
    start(deliverAndWait(late.passed), { LEASE_MS: '600000', HEARTBEAT_MS: '600000', SWEEP_MS: '600000' });
    const id = await world.submit();
    await stored(id);
    await world.sql(`UPDATE tasks SET lease_until = now() - interval '1 second' WHERE id = $1`, [id]);
    const { provider } = start(deliver);
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 1, settled_attempt: 2 });
    expect(await world.calls(id)).toMatchObject([{ state: 'cut' }]);
    late.open();
    await eventually(async () => expect(await world.calls(id)).toMatchObject([{ state: 'succeeded' }]));
    expect(provider.requests).toEqual([]);
  });
});
