import { type Contestant, compete } from '../load/compete.js';
import { measureThroughput } from '../load/measure-throughput.js';
import { submissions } from '../load/submissions.js';
import { spread } from '../report/spread.js';
import type { Bench } from '../stage/bench.js';
import { startStore } from '../stage/start-store.js';
import { withProduct } from '../stage/with-product.js';

/**
 * Submissions a second with more and more API processes, then tasks a second with more and more workers on the stub store
 * (`--counts 1,2,4`, `--only submit|end-to-end`).
 */
export async function processes(bench: Bench): Promise<void> {
  const counts = (bench.flag('counts') ?? '1,2,4').split(',').map(Number);
  const only = bench.flag('only');
  if (only !== 'end-to-end') {
    for (const count of counts) {
      await submitTo(bench, count);
    }
  }
  const store = only === 'submit' ? null : await startStore(bench, 'stub');
  try {
    for (const workers of store ? counts : []) {
      await measureThroughput(bench, {
        name: `workers: ${workers}`,
        workers,
        concurrency: 32,
        ...(store && { s3: store.s3 }),
      });
    }
  } finally {
    await store?.stop();
  }
}

async function submitTo(bench: Bench, count: number): Promise<void> {
  await withProduct(bench, { apis: count }, async ({ accounts, apis }) => {
    const contestant: Contestant = {
      name: `API processes: ${count}`,
      urls: apis.map(({ url }) => url),
      requests: submissions(accounts),
      status: 202,
      pids: Object.fromEntries(apis.map(({ pid }, i) => [`process ${i + 1}`, pid])),
    };
    const all = { ...bench, flag: (name: string) => (name === 'only' ? undefined : bench.flag(name)) };
    for (const [name, rounds] of await compete(all, [contestant])) {
      bench.say(`  ${name}: ${spread(rounds.map(({ perSecond }) => perSecond))} submits/s`);
    }
  });
}
