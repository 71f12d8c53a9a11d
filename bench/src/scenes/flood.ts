import { setTimeout as sleep } from 'node:timers/promises';
import { fillBacklog } from '../load/fill-backlog.js';
import { runTask, type TaskTimes } from '../load/run-task.js';
import { submissions } from '../load/submissions.js';
import { median } from '../report/median.js';
import type { Bench } from '../stage/bench.js';
import { ATTACKS, measureNeighbour } from '../stage/measure-neighbour.js';
import { countTasks } from '../stage/rows/count-tasks.js';
import { startStore } from '../stage/start-store.js';
import { type Product, withProduct } from '../stage/with-product.js';

const IDLE = 12;
const FLOODED = 20;
const BETWEEN_MS = 1_000;
/** One kind of task keeps the machine busy, the other one the places of the workers. */
const PROMPTS = { fixed: 'sandbox:fixed', slow: 'sandbox:fixed sandbox:delay=200' };

/**
 * Measures delays of single tasks of one account beside `--tasks` (10,000) tasks of another account. Further loads of that account
 * are reads, edits of images that never come, and webhooks to a receiver that never responds (`--only fixed|slow|reads|edits|webhooks`).
 */
export async function flood(bench: Bench): Promise<void> {
  const store = await startStore(bench, 'stub');
  try {
    for (const [name, prompt] of Object.entries(PROMPTS)) {
      if (name === (bench.flag('only') ?? name)) {
        await withProduct(bench, { ...store, accounts: 2 }, (product) => measure(bench, product, prompt));
      }
    }
  } finally {
    await store?.stop();
  }
  for (const [name, attack] of Object.entries(ATTACKS)) {
    if (name === (bench.flag('only') ?? name)) {
      await measureNeighbour(bench, name, attack);
    }
  }
}

async function measure(bench: Bench, product: Product, prompt: string): Promise<void> {
  const { pool, accounts, apis, startWorkers } = product;
  const [whale, other] = accounts;
  const [api] = apis;
  if (!whale || !other || !api) {
    throw new Error('a flood needs two accounts and an API');
  }
  const submitMany = (count: number): Promise<void> =>
    fillBacklog(bench, api.url, submissions([whale], { model: 'nanobanana', prompt }), count);
  await startWorkers(2);
  await submitMany(1_000); // warm-up
  while ((await countTasks(pool)).open > 0) {
    await sleep(100);
  }

  const idle: TaskTimes[] = [];
  for (let i = 0; i < IDLE; i++) {
    idle.push(await runTask(product, other, prompt));
  }
  const flow = { comesIn: true };
  const submitting = submitMany(Number(bench.flag('tasks') ?? 10_000)).finally(() => {
    flow.comesIn = false;
  });
  const flooded: Record<string, TaskTimes[]> = { 'while it comes in': [], afterwards: [] };
  for (let left = 1, count = 0; left > 0 && count < FLOODED; count++) {
    await sleep(BETWEEN_MS);
    const moment = flow.comesIn ? 'while it comes in' : 'afterwards';
    const times = await runTask(product, other, prompt);
    left = (await countTasks(pool)).open;
    if (left > 0) {
      flooded[moment]?.push(times);
    }
  }
  await submitting;
  const usual = median(idle.map(({ endMs }) => endMs));
  bench.say(`  ${prompt}, idle: ${line(idle)}`);
  for (const [moment, times] of Object.entries(flooded).filter(([, { length }]) => length > 0)) {
    bench.say(`    ${moment}, ${times.length} times: ${line(times)}`);
    bench.say(`      delay ${medianAndMost(times.map(({ endMs }) => endMs - usual))}`);
  }
}

function line(times: readonly TaskTimes[]): string {
  const after = (of: (one: TaskTimes) => number): string => medianAndMost(times.map(of));
  return `accepted after ${after((one) => one.acceptMs)}, started ${after((one) => one.startMs)}, ended ${after((one) => one.endMs)}`;
}

function medianAndMost(ms: readonly number[]): string {
  return `${Math.round(median(ms))} ms (at most ${Math.round(Math.max(...ms))})`;
}
