import { eventually } from '@image-gateway/testing';
import { rssOf } from './rss-of.js';
import type { Scenario } from './scenario.js';

const WAYS = ['hang', 'redirect', 'gone', 'huge', 'drip', 'early'] as const;

/** Receivers that hang, redirect, never end, or close at once. */
export const webhookScenarios: readonly Scenario[] = [
  {
    name: 'receivers-bad',
    fault: 'receivers that hang, redirect to a canary, answer 410, send gigabytes, drip, or close at once',
    outcome: 'the canary is never called, memory stays flat, healthy receivers get theirs within 2 s',
    run: async (scene) => {
      const { receiver, fleet } = scene.lab;
      const canary = receiver.canaryHits();
      const before = rssOf(fleet.process('webhooks-1').pid());
      const bad = scene.load({
        count: 90,
        perSecond: 30,
        wish: () => ({ prompt: 'sandbox:fixed' }),
        hook: (random) => random.pick(WAYS),
      });
      const healthy = await scene.another();
      const good = healthy.load({
        count: 120,
        perSecond: 20,
        wish: () => ({ prompt: 'sandbox:fixed' }),
        hook: () => 'ok',
      });
      await Promise.all([bad.done, good.done]);
      scene.injected(90);
      const late = await eventually(
        async () => {
          const { rows } = await scene.lab.services.database.pool.query<{ late: number; waiting: number }>(
            `SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY EXTRACT(EPOCH FROM w.delivered_at - t.completed_at)) AS late,
                    count(*) FILTER (WHERE w.delivered_at IS NULL)::int AS waiting
               FROM tasks t LEFT JOIN webhook_deliveries w ON w.task_id = t.id WHERE t.account_id = $1`,
            [healthy.id],
          );
          if (rows[0]?.waiting !== 0) throw new Error(`${rows[0]?.waiting} healthy receivers wait`);
          return rows[0].late;
        },
        { timeoutMs: 15_000, everyMs: 100 },
      );
      const grown = rssOf(fleet.process('webhooks-1').pid()) - before;
      scene.figure('p95 of healthy ms', late * 1_000);
      scene.figure('memory grown MB', grown);
      scene.must(receiver.canaryHits() === canary, 'a redirect was followed');
      scene.must(late < 2, `healthy receivers wait ${late} s (p95)`);
      scene.must(grown < 150, `the webhook worker grew by ${grown} MB`);
    },
  },
];
