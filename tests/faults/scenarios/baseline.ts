import { SWEEP_MS } from '../lab/settings.js';
import type { Scenario } from './scenario.js';
import { readSums } from './support/read-sums.js';

/** Everything is well: what the others are compared with. */
export const baseline: readonly Scenario[] = [
  {
    name: 'baseline',
    fault: 'none',
    outcome: 'no try burnt, one call a task, picked up by its hint and not by a sweep',
    run: async (scene) => {
      const quiet = await scene.another();
      for (let n = 0; n < 12; n += 1) {
        await quiet.submitOne({ prompt: 'sandbox:fixed' });
        await scene.sleep(60);
      }
      const { waitedMs } = await readSums(scene, quiet.id);
      scene.figure('lower quartile of waits ms', waitedMs);
      scene.must(waitedMs < SWEEP_MS, `a task of an idle system waits ${waitedMs} ms until it is begun`);
      await scene.load({ count: 300, perSecond: 80, wish: () => ({ prompt: 'sandbox:fixed' }) }).done;
      const sums = await readSums(scene);
      scene.must(sums.tries === 0, `${sums.tries} tries were burnt without a fault`);
      scene.must(sums.calls === sums.tasks, `${sums.calls} calls for ${sums.tasks} tasks without a fault`);
    },
  },
];
