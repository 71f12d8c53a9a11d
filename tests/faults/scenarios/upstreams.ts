import type { Behaviour } from '@image-gateway/testing';
import { killDuring } from './kill-during.js';
import { readSums } from './read-sums.js';
import { rssOf } from './rss-of.js';
import type { Scenario, Scene } from './scenario.js';
import { mustKeepCeilings } from './upstream-calls.js';

const RSS_MB = 600;
const WORKERS = ['worker-1', 'worker-2'] as const;

/** Submits some tasks with prompts of their own that begin with a text. */
async function ask(scene: Scene, start: string, count: number, outputs = 1): Promise<void> {
  let n = 0;
  const wish = () => ({ prompt: `${start} ${(n += 1)}`, num_outputs: outputs });
  await scene.load({ count, concurrency: count, keyed: 1, wish }).done;
}

/** Ends what is still open soon, as the deadline does in earnest. Task by task: many at once would lock them in another order than the product does. */
async function deadlineIn(scene: Scene, seconds: number): Promise<void> {
  const { pool } = scene.lab.services.database;
  const { rows } = await pool.query<{ id: string }>(
    "SELECT id FROM tasks WHERE account_id = $1 AND status = 'pending'",
    [scene.customer.id],
  );
  for (const { id } of rows) {
    await pool.query(
      "UPDATE tasks SET deadline_at = now() + $2::int * interval '1 s' WHERE id = $1 AND status = 'pending'",
      [id, seconds],
    );
  }
}

const statusesOf = async (scene: Scene, start: string): Promise<Record<string, number>> => {
  await readSums(scene);
  const { rows } = await scene.lab.services.database.pool.query<{ status: string; count: number }>(
    'SELECT status, count(*)::int AS count FROM tasks WHERE account_id = $1 AND starts_with(prompt, $2) GROUP BY 1',
    [scene.customer.id, start],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
};

/** Tries the modes of one provider one after the other, then lets a check look at each. */
const family = (
  { name, fault, outcome, provider, providers, modes, count = 14, deadlineS }: {
    readonly name: string;
    readonly fault: string;
    readonly outcome: string;
    readonly provider: 'gemini' | 'fal';
    readonly providers: 'gemini,fal' | 'fal,gemini';
    readonly modes: readonly Behaviour[];
    readonly count?: number;
    readonly deadlineS?: number;
  },
  check: (scene: Scene, start: string, count: number) => Promise<void>,
): Scenario => ({
  name,
  fault,
  outcome,
  providers,
  restWithinMs: 40_000,
  run: async (scene) => {
    for (const behaviour of modes) {
      const start = `${name} ${behaviour.mode}`;
      scene.lab.upstreams.behave(provider, behaviour);
      await ask(scene, start, count);
      if (deadlineS !== undefined) await deadlineIn(scene, deadlineS);
      await check(scene, start, count);
      mustKeepCeilings(scene, start);
      scene.injected(count);
      for (const worker of WORKERS) {
        const rss = rssOf(scene.lab.fleet.process(worker).pid());
        scene.must(rss < RSS_MB, `${worker} takes ${Math.round(rss)} MB after ${behaviour.mode}`);
      }
    }
  },
});

const mustComplete = async (scene: Scene, start: string, count: number): Promise<void> => {
  const statuses = await statusesOf(scene, start);
  scene.must(statuses.completed === count, `${start}: ${JSON.stringify(statuses)} instead of ${count} completed`);
};
const mustAskOnce = async (scene: Scene, start: string): Promise<void> => {
  await readSums(scene);
  const again = mustKeepCeilings(scene, start).filter(({ submits }) => submits > 1);
  scene.must(again.length === 0, `asked again after an unknown outcome: ${JSON.stringify(again.slice(0, 3))}`);
};

/** Upstream providers that answer everything but the right thing. */
export const upstreamScenarios: readonly Scenario[] = [
  family(
    {
      name: 'upstreams-refuse',
      fault: 'the first provider refuses: overloaded, rate limit, quota, key, billing, model gone, region, 500, 504',
      outcome: 'the next one delivers; nothing is bought twice',
      provider: 'gemini',
      providers: 'gemini,fal',
      modes: (
        ['overload', 'rate-limit', 'quota', 'auth', 'billing', 'model-gone', 'geo', 'server-error'] as const
      ).map((mode) => ({ mode, retryAfterS: 1 })),
    },
    async (scene, start, count) => {
      await mustComplete(scene, start, count);
      const billed = mustKeepCeilings(scene, start).reduce((sum, one) => sum + one.billed, 0);
      scene.must(billed === count, `${start}: ${billed} pictures were billed for ${count} tasks`);
    },
  ),
  family(
    {
      name: 'upstreams-nonsense',
      fault: 'good by status, unusable by content: HTML, nothing, a redirect, no picture, a broken one, a bomb, bad base64, half of it, 200 MB',
      outcome: `never stored; the next provider delivers; memory below ${RSS_MB} MB`,
      provider: 'gemini',
      providers: 'gemini,fal',
      modes: (
        ['html', 'empty', 'redirect', 'no-image', 'broken-image', 'bomb', 'invalid-base64', 'truncated', 'huge'] as const
      ).map((mode) => ({ mode })),
      count: 8,
    },
    async (scene, start) => {
      const { pending } = await readSums(scene, scene.customer.id, 60_000);
      scene.must(pending === 0, `${start}: ${pending} are pending`);
    },
  ),
  family(
    {
      name: 'upstreams-final',
      fault: 'content moderation and refused input',
      outcome: 'failed at $0.00; nobody else is asked',
      provider: 'gemini',
      providers: 'gemini,fal',
      modes: [{ mode: 'moderation' }, { mode: 'invalid-input' }],
    },
    async (scene, start) => {
      const { completed = 0 } = await statusesOf(scene, start);
      // A refused input is asked about once more: it may be the provider's own trouble.
      const often = mustKeepCeilings(scene, start).filter(({ submits }) => submits > 2);
      scene.must(often.length === 0, `asked again after a refusal: ${JSON.stringify(often.slice(0, 3))}`);
      scene.must(completed === 0, `${start}: ${completed} were completed`);
    },
  ),
  family(
    {
      name: 'upstreams-unknown',
      fault: 'paid work whose answer is lost: reset, dripping, never coming',
      outcome: 'never asked again, not charged, ended by the deadline at the latest',
      provider: 'gemini',
      providers: 'gemini,fal',
      modes: (['lost-answer', 'drip', 'hang'] as const).map((mode) => ({ mode })),
      deadlineS: 6,
    },
    mustAskOnce,
  ),
  family(
    {
      name: 'upstreams-jobs',
      fault: 'jobs that never end, are forgotten, whose pictures are gone or cut, whose submission is lost',
      outcome: 'ended by the deadline at the latest, within the ceilings, charged for what is stored only',
      provider: 'fal',
      providers: 'fal,gemini',
      modes: [
        { mode: 'endless-job' },
        { mode: 'job-lost' },
        { mode: 'output-gone' },
        { mode: 'truncated', on: ['download'] },
        { mode: 'lost-answer', on: ['submit'] },
        { mode: 'server-error', on: ['poll'] },
      ],
      deadlineS: 8,
    },
    async (scene) => void (await readSums(scene)),
  ),
  {
    name: 'upstreams-worker-killed',
    fault: 'kill -9 of generation workers while upstream jobs run',
    outcome: 'jobs are resumed by their ids: each picture bought once',
    providers: 'fal,gemini',
    restWithinMs: 40_000,
    run: async (scene) => {
      scene.lab.upstreams.behave('fal', { mode: 'ok', jobMs: 2_500 });
      const start = `resumed ${scene.customer.id}`;
      let n = 0;
      const load = scene.load({
        count: 60,
        perSecond: 15,
        keyed: 1,
        wish: () => ({ prompt: `${start} ${(n += 1)}` }),
      });
      await scene.sleep(1_000);
      await killDuring(scene, WORKERS, 2, 2_000);
      await load.done;
      await readSums(scene, scene.customer.id, 60_000);
      const twice = mustKeepCeilings(scene, start).filter(({ submits }) => submits > 1);
      scene.figure('bought twice', twice.length);
      scene.must(twice.length === 0, `${twice.length} jobs were submitted a second time`);
    },
  },
  {
    name: 'upstreams-wire',
    fault: 'the way to the upstreams refused, silent, cut in the middle, slow',
    outcome: 'within the ceilings; charged for what is stored only',
    providers: 'gemini,fal',
    restWithinMs: 40_000,
    run: async (scene) => {
      const start = `wire ${scene.customer.id}`;
      let n = 0;
      const load = scene.load({ count: 160, perSecond: 20, wish: () => ({ prompt: `${start} ${(n += 1)}` }) });
      for (const mode of [
        { kind: 'refuse' },
        { kind: 'cut', afterBytes: 300 },
        { kind: 'black-hole' },
        { kind: 'throttle', bytesPerSecond: 40_000 },
        { kind: 'delay', ms: 200 },
      ] as const) {
        scene.lab.upstreamWire.set(mode);
        scene.injected();
        await scene.sleep(1_300);
        scene.lab.upstreamWire.set({ kind: 'pass' });
        await scene.sleep(300);
      }
      await load.done;
      await deadlineIn(scene, 10);
      await readSums(scene);
      mustKeepCeilings(scene, start);
    },
  },
  {
    name: 'upstreams-all-down',
    fault: 'every provider answers 500',
    outcome: 'failed at $0.00 after the last try, within the ceilings',
    providers: 'gemini,fal',
    restWithinMs: 40_000,
    run: async (scene) => {
      for (const provider of ['gemini', 'fal'] as const) scene.lab.upstreams.behave(provider, 'server-error');
      const start = `all down ${scene.customer.id}`;
      await ask(scene, start, 25);
      scene.injected(25);
      await deadlineIn(scene, 12);
      const { pictures } = await readSums(scene);
      mustKeepCeilings(scene, start);
      scene.must(pictures === 0, `${pictures} pictures came from providers that are down`);
    },
  },
];
