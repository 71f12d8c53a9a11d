import type { Scenario, Scene } from '../scenario.js';
import { deadlineIn } from '../support/deadline-in.js';
import { killDuring } from '../support/kill-during.js';
import { numbered } from '../support/numbered.js';
import { readSums } from '../support/read-sums.js';
import { mustKeepCeilings } from '../support/upstream-calls.js';
import { RSS_MB, upstreamFamily } from './upstream-family.js';

const WORKERS = ['worker-1', 'worker-2'] as const;

const countStatuses = async (scene: Scene, start: string): Promise<Record<string, number>> => {
  await readSums(scene);
  const { rows } = await scene.lab.services.database.pool.query<{ status: string; count: number }>(
    'SELECT status, count(*)::int AS count FROM tasks WHERE account_id = $1 AND starts_with(prompt, $2) GROUP BY 1',
    [scene.customer.id, start],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
};

const mustComplete = async (scene: Scene, start: string, count: number): Promise<void> => {
  const statuses = await countStatuses(scene, start);
  scene.must(
    statuses.completed === count,
    `${start}: ${JSON.stringify(statuses)} instead of ${count} completed`,
  );
};
const mustAskOnce = async (scene: Scene, start: string): Promise<void> => {
  await readSums(scene);
  const again = mustKeepCeilings(scene, start).filter(({ submits }) => submits > 1);
  scene.must(
    again.length === 0,
    `asked again after an unknown outcome: ${JSON.stringify(again.slice(0, 3))}`,
  );
};

/** Upstream providers that answer everything but the right thing. */
export const upstreamScenarios: readonly Scenario[] = [
  upstreamFamily(
    {
      name: 'upstreams-refuse',
      fault:
        'the first provider refuses: overloaded, rate limit, quota, key, billing, model gone, region, 500, 504',
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
      scene.must(billed === count, `${start}: ${billed} images were billed for ${count} tasks`);
    },
  ),
  upstreamFamily(
    {
      name: 'upstreams-nonsense',
      fault:
        'good by status, unusable by content: HTML, nothing, a redirect, no image, a broken one, a bomb, bad base64, half of it, 200 MB',
      outcome: `never stored; the next provider delivers; memory below ${RSS_MB} MB`,
      provider: 'gemini',
      providers: 'gemini,fal',
      modes: (
        [
          'html',
          'empty',
          'redirect',
          'no-image',
          'broken-image',
          'bomb',
          'invalid-base64',
          'truncated',
          'huge',
        ] as const
      ).map((mode) => ({ mode })),
      count: 8,
    },
    async (scene, start) => {
      const { pending } = await readSums(scene, scene.customer.id, 60_000);
      scene.must(pending === 0, `${start}: ${pending} are pending`);
    },
  ),
  upstreamFamily(
    {
      name: 'upstreams-final',
      fault: 'content moderation and refused input',
      outcome: 'failed at $0.00; nobody else is asked',
      provider: 'gemini',
      providers: 'gemini,fal',
      modes: [{ mode: 'moderation' }, { mode: 'invalid-input' }],
    },
    async (scene, start) => {
      const { completed = 0 } = await countStatuses(scene, start);
      // A refused input is asked about once more: it may be the provider's own trouble.
      const often = mustKeepCeilings(scene, start).filter(({ submits }) => submits > 2);
      scene.must(often.length === 0, `asked again after a refusal: ${JSON.stringify(often.slice(0, 3))}`);
      scene.must(completed === 0, `${start}: ${completed} were completed`);
    },
  ),
  upstreamFamily(
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
  upstreamFamily(
    {
      name: 'upstreams-jobs',
      fault: 'jobs that never end, are forgotten, whose images are gone or cut, whose submission is lost',
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
    outcome: 'jobs are resumed by their ids: each image bought once',
    providers: 'fal,gemini',
    restWithinMs: 40_000,
    run: async (scene) => {
      scene.lab.upstreams.behave('fal', { mode: 'ok', jobMs: 2_500 });
      const start = `resumed ${scene.customer.id}`;
      const load = scene.load({
        count: 60,
        perSecond: 15,
        keyed: 1,
        wish: numbered(start),
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
      const load = scene.load({
        count: 160,
        perSecond: 20,
        wish: numbered(start),
      });
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
      for (const provider of ['gemini', 'fal'] as const) {
        scene.lab.upstreams.behave(provider, 'server-error');
      }
      const start = `all down ${scene.customer.id}`;
      await scene.load({ count: 25, concurrency: 25, keyed: 1, wish: numbered(start) }).done;
      scene.injected(25);
      await deadlineIn(scene, 12);
      const { images } = await readSums(scene);
      mustKeepCeilings(scene, start);
      scene.must(images === 0, `${images} images came from providers that are down`);
    },
  },
];
