import { eventually } from '@image-gateway/testing';
import type { Scenario, Scene } from './scenario.js';
import { measureRss } from './support/measure-rss.js';

/** Places of the laboratory's one webhook worker: the default of WEBHOOK_CONCURRENCY. */
const PLACES = 64;
/** More than any alert about webhooks waits in the laboratory. */
const ALERTED_AFTER_MS = 32_000;
const WAYS = ['hang', 'redirect', 'gone', 'huge', 'drip', 'early'] as const;

/** Waits until an account has all its webhooks and gives a quantile of how long they took from the end of the task, in seconds. */
function measureLateness({ lab }: Scene, accountId: string, quantile: number): Promise<number> {
  return eventually(
    async () => {
      const { rows } = await lab.services.database.pool.query<{ late: number; waiting: number }>(
        `SELECT percentile_cont($2) WITHIN GROUP (ORDER BY EXTRACT(EPOCH FROM w.delivered_at - t.completed_at)) AS late,
                count(*) FILTER (WHERE w.delivered_at IS NULL)::int AS waiting
           FROM tasks t LEFT JOIN webhook_deliveries w ON w.task_id = t.id WHERE t.account_id = $1`,
        [accountId, quantile],
      );
      if (rows[0]?.waiting !== 0) {
        throw new Error(`${rows[0]?.waiting} healthy receivers wait`);
      }
      return rows[0].late;
    },
    { timeoutMs: 30_000, everyMs: 100 },
  );
}

/** Receivers that hang, redirect, never end, or close at once. */
export const webhookScenarios: readonly Scenario[] = [
  {
    name: 'receivers-bad',
    tenants: { worstMs: 'p95 of healthy ms', cost: ['memory grown MB'] },
    fault: 'receivers that hang, redirect to a canary, answer 410, send gigabytes, drip, or close at once',
    outcome: 'the canary is never called, memory stays flat, healthy receivers get theirs within 2 s',
    run: async (scene) => {
      const { receiver, fleet } = scene.lab;
      const canary = receiver.canaryHits();
      const before = measureRss(fleet.process('webhooks-1').pid());
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
      const late = await measureLateness(scene, healthy.id, 0.95);
      const grown = measureRss(fleet.process('webhooks-1').pid()) - before;
      scene.figure('p95 of healthy ms', late * 1_000);
      scene.figure('memory grown MB', grown);
      scene.must(receiver.canaryHits() === canary, 'a redirect was followed');
      scene.must(late < 2, `healthy receivers wait ${late} s (p95)`);
      scene.must(grown < 150, `the webhook worker grew by ${grown} MB`);
    },
  },
  {
    name: 'webhook-flood',
    tenants: { worstMs: 'latest of healthy ms', cost: ['places of the flood'] },
    fault: 'one account has 300 webhooks for 250 receivers that all hang',
    outcome:
      "it holds at most half of the places; every webhook of another account arrives within 3 s of its task's end, and nobody is woken",
    run: async (scene) => {
      const flood = scene.load({
        count: 300,
        perSecond: 100,
        wish: () => ({ prompt: 'sandbox:fixed' }),
        hook: () => 'tarpit',
      });
      await flood.done;
      scene.injected(300);
      const healthy = await scene.another();
      const good = healthy.load({
        count: 30,
        perSecond: 5,
        wish: () => ({ prompt: 'sandbox:fixed' }),
        hook: () => 'ok',
      });
      await good.done;
      const late = await measureLateness(scene, healthy.id, 1);
      scene.figure('latest of healthy ms', late * 1_000);
      const most = scene.lab.receiver.mostTarpits();
      scene.figure('places of the flood', most);
      scene.must(most > 8 && most <= PLACES / 2, `the flood held ${most} of ${PLACES} places`);
      scene.must(late < 3, `a webhook of another account came ${late} s late`);
      // No alert may fire for receivers that hang, however long they do.
      await scene.sleep(ALERTED_AFTER_MS);
    },
  },
];
