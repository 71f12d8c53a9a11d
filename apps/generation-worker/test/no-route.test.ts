import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { deliver, routerOver, scriptedProvider } from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();

describe('a task that no provider in use can draw', () => {
  test('fails as one of its upstream without a charge, and tells the operator by a line of the log and an alert', async () => {
    const routed = routerOver(scriptedProvider(deliver));
    const worker = world.start({ ...routed, listCandidates: async () => [] });
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({
      status: 'failed',
      error: 'The upstream provider failed.',
      call_count: 0,
      cost_micros: '0',
    });
    expect(world.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'no provider in use can draw this task', taskId: id, model: 'nanobanana', resolution: '1k' },
    ]);
    expect((await worker.metrics.providerAlerts.get()).values).toMatchObject([
      { labels: { provider: 'none', model: 'nanobanana', failure: 'no-route' }, value: 1 },
    ]);
  });

  test('a worker reports its providers at once, and whether its sandbox draws what they do not', async () => {
    // A report from before they were known takes longer, and must not replace the one that has them.
    await world.sql(
      `CREATE FUNCTION delay_report() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END $$`,
    );
    await world.sql(`CREATE TRIGGER delay_report BEFORE INSERT ON worker_reports FOR EACH ROW
      WHEN (NOT NEW.report ? 'sandboxServesRest') EXECUTE FUNCTION delay_report()`);
    world.start(null, { settings: { PROVIDERS: 'sandbox', SWEEP_MS: '60000' } });
    const isReported = async () =>
      expect(
        await world.sql('SELECT report FROM worker_reports ORDER BY started_at DESC LIMIT 1'),
      ).toMatchObject([{ report: { providers: ['sandbox'], sandboxServesRest: true } }]);
    await eventually(isReported);
    await sleep(1_000);
    await isReported();
  });
});
