import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../report/median.js';
import { STATEMENTS } from '../report/run.js';
import { spread } from '../report/spread.js';
import type { Bench } from '../stage/bench.js';
import { measureResidentMib } from '../stage/measure-usage.js';
import { meterCpu } from '../stage/meter-cpu.js';
import { countTasks } from '../stage/rows/count-tasks.js';
import type { Services } from '../stage/services.js';
import { withProduct } from '../stage/with-product.js';
import { fillBacklog } from './fill-backlog.js';
import { endTasksAlone } from './statements-alone.js';
import { submissions } from './submissions.js';

/** Workers that bring tasks to their end. */
export interface ThroughputPlan {
  readonly name: string;
  readonly workers: number;
  /** Tasks that each worker has under way at a time. */
  readonly concurrency: number;
  readonly s3?: Services['s3'];
}

/** More than any machine that this was run on can do, and than its statements alone can. */
const MAX_PER_SECOND = 1_500;
const MAX_ALONE_PER_SECOND = 4_000;
/** A worker runs ten times as much code as a submit does. The compiler of V8 is done with it after about half a minute. */
const WARM_UPS = 3;

/**
 * Measures tasks a second from the queue to the settlement, under a backlog that does not end. Returns the median over the
 * seconds and prints each. Before that, the statements of a worker alone end tasks of the same backlog.
 */
export async function measureThroughput(
  bench: Bench,
  { name, workers: count, concurrency, s3 = bench.services.s3 }: ThroughputPlan,
): Promise<number> {
  const warmUp = WARM_UPS * bench.warmUp;
  const seconds = bench.rounds * bench.seconds;
  return withProduct(bench, { s3 }, async ({ databaseUrl, pool, accounts, apis, startWorkers }) => {
    const ofAlone = (bench.rounds + 1) * MAX_ALONE_PER_SECOND;
    const backlog = Number(bench.flag('backlog') ?? (warmUp + seconds) * MAX_PER_SECOND + ofAlone);
    for (const api of apis) {
      await fillBacklog(bench, api.url, submissions(accounts), backlog);
      await api.stop();
    }
    const alone: number[] = [];
    for (let round = 0; round <= bench.rounds; round++) {
      const rate = await endTasksAlone({ databaseUrl, pool }, { seconds: 1, atATime: count * concurrency });
      alone.push(...(round > 0 ? [rate] : []));
    }
    const workers = await startWorkers(count, { GENERATION_CONCURRENCY: String(concurrency) });
    await sleep(warmUp * 1_000);
    const getCpu = meterCpu({
      ...Object.fromEntries(workers.map(({ pid }, i) => [`worker ${i + 1}`, pid])),
      postgres: bench.services.postgresPid,
      redis: bench.services.redisPid,
    });
    const rates: number[] = [];
    const first = await countTasks(pool);
    let last = first;
    for (let second = 0; second < seconds; second++) {
      const from = performance.now();
      await sleep(1_000);
      const now = await countTasks(pool);
      rates.push(((now.ended - last.ended) * 1_000) / (performance.now() - from));
      last = now;
    }
    const cpu = JSON.stringify(getCpu(last.ended - first.ended));
    const resident = workers.map(({ pid }) => Math.round(measureResidentMib(pid))).join(' ');
    bench.say(
      `  ${name}: ${spread(rates)} tasks/s, cpu ${cpu} µs a task, resident ${resident} MiB, left ${last.open}`,
    );
    const ratios = { [STATEMENTS]: rates.map((rate) => rate / median(alone)) };
    bench.score({ scene: 'end-to-end', name: STATEMENTS, unit: 'tasks/s', values: alone });
    bench.score({ scene: 'end-to-end', name: `product, ${name}`, unit: 'tasks/s', values: rates, ratios });
    bench.say(`  ${STATEMENTS}: ${spread(alone)} tasks/s`);
    if (last.open === 0) {
      bench.say('  the backlog came to its end too early: give a longer --backlog');
    }
    return median(rates);
  });
}
