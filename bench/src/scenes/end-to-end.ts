import { countFor } from '../load/count-for.js';
import { measureThroughput } from '../load/measure-throughput.js';
import { putImage } from '../load/put-image.js';
import { median } from '../report/median.js';
import { spread } from '../report/spread.js';
import type { Bench } from '../stage/bench.js';
import { openStore } from '../stage/open-store.js';
import type { Services } from '../stage/services.js';
import { STORES, startStore } from '../stage/start-store.js';

/** Measures tasks a second on each object store, and their ratio to the puts that the store takes from the same client. */
export async function endToEnd(bench: Bench): Promise<void> {
  const only = bench.flag('store');
  const workers = Number(bench.flag('workers') ?? 2);
  const concurrency = Number(bench.flag('concurrency') ?? 64);
  for (const name of STORES) {
    if (only !== undefined && only !== name) {
      continue;
    }
    const store = await startStore(bench, name);
    if (!store) {
      bench.say(`  ${name}: there is no program of it here`);
      continue;
    }
    try {
      const puts = await measurePuts(bench, store.s3, workers * concurrency);
      const tasks = await measureThroughput(bench, { name, workers, concurrency, s3: store.s3 });
      bench.say(
        `  ${name}: the store alone ${spread(puts)} puts/s, tasks ${(tasks / median(puts)).toFixed(2)} of that`,
      );
    } finally {
      await store.stop();
    }
  }
}

/** Puts a second into a store from one process, round by round. */
async function measurePuts(bench: Bench, s3: Services['s3'], atATime: number): Promise<number[]> {
  const store = openStore(s3);
  const rates: number[] = [];
  try {
    await store.ensureBucket();
    await countFor(bench.warmUp / 3, atATime, () => putImage(store));
    for (let round = 0; round < bench.rounds; round++) {
      rates.push(await countFor(bench.seconds, atATime, () => putImage(store)));
    }
    return rates;
  } finally {
    store.close();
  }
}
