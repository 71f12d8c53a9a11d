import { eventually } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';
import { deliver, routerOver, scriptedProvider } from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();
const A_SECOND = String(1 / 86_400);

test('a worker erases what is older than its retention, one of several for all of them, and removes its images', async () => {
  const settings = { RETENTION_DAYS: A_SECOND, RETENTION_SWEEP_MS: '300', SWEEP_MS: '100' };
  const provider = scriptedProvider(deliver);
  const workers = [
    world.start(routerOver(provider), { settings }),
    world.start(routerOver(provider), { settings }),
  ];
  const ids = await Promise.all([world.submit({ prompt: 'a-secret-lynx' }), world.submit(), world.submit()]);
  const before = await Promise.all(ids.map((id) => world.ended(id)));
  expect(before.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  await eventually(async () => {
    const rows = await world.sql('SELECT prompt FROM tasks WHERE id = ANY($1) AND erased_at IS NOT NULL', [
      ids,
    ]);
    expect(rows).toEqual([{ prompt: '' }, { prompt: '' }, { prompt: '' }]);
    expect((await Promise.all(ids.map((id) => world.store.list(`images/${id}/`)))).flat()).toEqual([]);
  });
  const counts = (await Promise.all(workers.map(({ metrics }) => metrics.sweeps.get()))).flatMap(
    ({ values }) => values,
  );
  const erased = counts.filter(({ labels }) => labels.what === 'expired-tasks').map(({ value }) => value);
  expect(erased.reduce((sum, value) => sum + value, 0)).toBe(3);
});
