import type { Behaviour } from '@image-gateway/stub-upstreams';
import type { Scenario, Scene } from '../scenario.js';
import { deadlineIn } from '../support/deadline-in.js';
import { measureRss } from '../support/measure-rss.js';
import { numbered } from '../support/numbered.js';
import { mustKeepCeilings } from '../support/upstream-calls.js';

/** Most memory of a worker, in MB, whatever it is sent. */
export const RSS_MB = 600;
const WORKERS = ['worker-1', 'worker-2'] as const;

/** Tries the modes of one provider one after the other, then lets a check look at each. */
export const upstreamFamily = (
  {
    name,
    fault,
    outcome,
    provider,
    providers,
    modes,
    count = 14,
    deadlineS,
  }: {
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
      await scene.load({ count, concurrency: count, keyed: 1, wish: numbered(start) }).done;
      if (deadlineS !== undefined) {
        await deadlineIn(scene, deadlineS);
      }
      await check(scene, start, count);
      mustKeepCeilings(scene, start);
      scene.injected(count);
      for (const worker of WORKERS) {
        const rss = measureRss(scene.lab.fleet.process(worker).pid());
        scene.must(rss < RSS_MB, `${worker} takes ${Math.round(rss)} MB after ${behaviour.mode}`);
      }
    }
  },
});
