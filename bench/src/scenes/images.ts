import { setTimeout as sleep } from 'node:timers/promises';
import { fillBacklog } from '../load/fill-backlog.js';
import { submissions } from '../load/submissions.js';
import { startBaseline } from '../stage/baseline.js';
import type { Bench } from '../stage/bench.js';
import { measurePeakMib, measureResidentMib } from '../stage/measure-usage.js';
import { meterCpu } from '../stage/meter-cpu.js';
import { readLoopLag, showLoopLag } from '../stage/read-loop-lag.js';
import { countTasks } from '../stage/rows/count-tasks.js';
import { type RunningStore, type StoreName, startStore } from '../stage/start-store.js';
import { withProduct } from '../stage/with-product.js';

interface Plan {
  readonly latency: string;
  readonly bytes: number;
  readonly concurrency: number;
  /** Longest latency, after which calls begin and end all the time. */
  readonly settleSeconds: number;
  /** Images a second if nothing but the upstream took time. */
  readonly ideal: number;
  readonly seconds: number;
}

const BODY = { model: 'nanobanana', prompt: 'a red fox in the snow, at dawn' };
const IDLE_SECONDS = 10;

/** Images a second of one worker with a slow upstream, its CPU time an image and its peak memory, beside a naive pipeline. */
export async function images(bench: Bench): Promise<void> {
  const latency = bench.flag('latency') ?? '5-15';
  const [min = 0, max = min] = latency.split('-').map(Number);
  const concurrency = Number(bench.flag('concurrency') ?? 512);
  const ideal = (2 * concurrency) / Math.max(min + max, 0.02);
  const counted = bench.flag('count');
  const plan: Plan = {
    latency,
    concurrency,
    ideal,
    settleSeconds: max + 2,
    bytes: Number(bench.flag('size') ?? 1.5) * 1_000_000,
    seconds: counted === undefined ? bench.rounds * bench.seconds : Math.ceil(Number(counted) / ideal),
  };
  bench.say(`  ideal ${ideal.toFixed(1)} images/s`);
  const store = await startStore(bench, (bench.flag('store') ?? 'embedded') as StoreName);
  if (!store) {
    throw new Error('there is no program of this store here');
  }
  try {
    for (const [name, run] of Object.entries({ naive: measureNaive, product: measureProduct })) {
      if ((bench.flag('only') ?? name) === name) {
        await run(bench, store, plan);
      }
    }
  } finally {
    await store.stop();
  }
}

async function measureNaive(bench: Bench, { s3 }: RunningStore, plan: Plan): Promise<void> {
  const stub = await startUpstream(bench, plan);
  const naive = await startBaseline(bench, 'naive-pipeline', {
    UPSTREAM: stub.url,
    CONCURRENCY: String(plan.concurrency),
    S3_ENDPOINT: s3.endpoint,
    S3_ACCESS_KEY: s3.accessKey,
    S3_SECRET_KEY: s3.secretKey,
  });
  try {
    const count = async (): Promise<number> => Number(await (await fetch(naive.url)).text());
    await measure(bench, plan, { name: 'naive', pid: naive.pid, others: { upstream: stub.pid }, count });
  } finally {
    await naive.stop();
    await stub.stop();
  }
}

async function measureProduct(bench: Bench, { s3 }: RunningStore, plan: Plan): Promise<void> {
  const stub = await startUpstream(bench, plan);
  const provider = { PROVIDERS: 'gemini', GEMINI_API_KEY: 'stub', GEMINI_BASE_URL: stub.url };
  try {
    await withProduct(bench, { s3, settings: provider }, async ({ pool, accounts, apis, startWorkers }) => {
      const tasks = Math.ceil(1.3 * plan.ideal * (plan.settleSeconds + plan.seconds)) + plan.concurrency;
      for (const api of apis) {
        await fillBacklog(bench, api.url, submissions(accounts, BODY), tasks);
        await api.stop();
      }
      const [worker] = await startWorkers(1, {
        ...provider,
        GENERATION_CONCURRENCY: String(plan.concurrency),
        OUTBOUND_ALLOW: new URL(stub.url).host,
      });
      if (!worker) {
        return;
      }
      const others = {
        upstream: stub.pid,
        postgres: bench.services.postgresPid,
        redis: bench.services.redisPid,
      };
      const count = async (): Promise<number> => (await countTasks(pool)).ended;
      await readLoopLag(worker);
      await measure(bench, plan, { name: 'product', pid: worker.pid, others, count });
      bench.say(`  product: ${showLoopLag(await readLoopLag(worker))}`);
      const { rows } = await pool.query<{ failed: number }>(
        "SELECT count(*)::int AS failed FROM tasks WHERE status = 'failed'",
      );
      if (rows[0]?.failed) {
        bench.say(`  TASKS FAILED: ${rows[0].failed}`);
      }
      // No more calls, so that the memory of an idle worker shows.
      await stub.stop();
      await sleep(IDLE_SECONDS * 1_000);
      bench.say(
        `  product: ${Math.round(measureResidentMib(worker.pid))} MiB ${IDLE_SECONDS} s after the end of the upstream`,
      );
    });
  } finally {
    await stub.stop();
  }
}

const startUpstream = (bench: Bench, { bytes, latency }: Plan) =>
  startBaseline(bench, 'gemini-stub', { BYTES: String(bytes), LATENCY: latency });

interface Pipeline {
  readonly name: string;
  readonly pid: number;
  readonly others: Readonly<Record<string, number>>;
  /** Images that are stored. */
  readonly count: () => Promise<number>;
}

async function measure(bench: Bench, plan: Plan, { name, pid, others, count }: Pipeline): Promise<void> {
  await sleep(plan.settleSeconds * 1_000);
  const getCpu = meterCpu({ process: pid, ...others });
  const first = await count();
  const from = performance.now();
  await sleep(plan.seconds * 1_000);
  const images = (await count()) - first;
  const perSecond = (images * 1_000) / (performance.now() - from);
  const cpuMicros = getCpu(images);
  const cpu = Object.entries(cpuMicros).map(
    ([process, micros]) => `${process} ${(micros / 1_000).toFixed(1)}`,
  );
  const ratio = (perSecond / plan.ideal).toFixed(2);
  const score = { scene: 'pictures', name };
  bench.score({ ...score, unit: 'images/s', values: [perSecond] });
  bench.score({
    ...score,
    name: `${name}, CPU an image`,
    unit: 'ms',
    values: [(cpuMicros.process ?? 0) / 1_000],
  });
  bench.score({ ...score, name: `${name}, peak memory`, unit: 'MiB', values: [measurePeakMib(pid)] });
  bench.say(
    `  ${name}: ${images} images, ${perSecond.toFixed(1)} images/s, ${ratio} of the ideal; CPU ms an image: ${cpu.join(', ')}; peak ${Math.round(measurePeakMib(pid))} MiB`,
  );
}
