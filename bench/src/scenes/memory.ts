import { setTimeout as sleep } from 'node:timers/promises';
import { parseTarget } from '../load/parse-target.js';
import { submissions } from '../load/submissions.js';
import type { Bench } from '../stage/bench.js';
import { measureResidentMib } from '../stage/measure-usage.js';
import { countTasks } from '../stage/rows/count-tasks.js';
import { startStore } from '../stage/start-store.js';
import { withProduct } from '../stage/with-product.js';

const STEPS = 20;
/** No more tasks than that wait at a time, so that API and workers are busy all the time, as they are in production. */
const MAX_OPEN = 4_000;

/** Resident memory of an API process and two workers while they take `--tasks` (200,000) tasks and bring them to their end. */
export async function memory(bench: Bench): Promise<void> {
  const tasks = Number(bench.flag('tasks') ?? 200_000);
  const store = await startStore(bench, 'stub');
  try {
    await withProduct(bench, store ?? {}, async ({ pool, accounts, apis, startWorkers }) => {
      const workers = await startWorkers(2, { GENERATION_CONCURRENCY: '32' });
      const load = { ...parseTarget(apis.map(({ url }) => url)), connections: bench.connections, seconds: 1 };
      const requests = submissions(accounts);
      const most = new Map<number, number>();
      const look = (): string[] =>
        [...apis, ...workers].map(({ pid }) => {
          const mib = Math.round(measureResidentMib(pid));
          most.set(pid, Math.max(most.get(pid) ?? 0, mib));
          return String(mib);
        });
      bench.say(`  ${'tasks'.padStart(8)}  API worker worker, MiB resident`);
      bench.say(`  ${'0'.padStart(8)}  ${look().join(' ')}`);
      for (let step = 1; step <= STEPS; ) {
        const { ended, open } = await countTasks(pool);
        if (ended + open < tasks && open < MAX_OPEN) {
          await bench.loader.run({ ...load, requests });
        } else {
          await sleep(250);
        }
        const now = look();
        if (ended < (tasks * step) / STEPS) {
          continue;
        }
        bench.say(`  ${String(ended).padStart(8)}  ${now.join(' ')}`);
        while (ended >= (tasks * step) / STEPS) {
          step++;
        }
      }
      bench.say(`  ${'most'.padStart(8)}  ${[...most.values()].join(' ')}`);
    });
  } finally {
    await store?.stop();
  }
}
