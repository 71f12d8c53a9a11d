import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { countFor } from '../load/count-for.js';
import { deliverAlone } from '../load/statements-alone.js';
import { STATEMENTS } from '../report/run.js';
import { spread } from '../report/spread.js';
import { startBaseline } from '../stage/baseline.js';
import type { Bench } from '../stage/bench.js';
import { meterCpu } from '../stage/meter-cpu.js';
import { openPool } from '../stage/open-pool.js';
import { startWebhookWorker } from '../stage/product.js';
import { fillDeliveries, WEBHOOK_BODY } from '../stage/rows/fill-deliveries.js';
import { fillHistory } from '../stage/rows/fill-history.js';
import { seedAccounts } from '../stage/rows/seed-accounts.js';

const RECEIVERS = 16;
/** Deliveries are compared to posts of the same bytes, and to what the database takes. */
const KEPT = 'plain, connections kept';
const BASELINES = [KEPT, STATEMENTS];
/** As many as a worker has under way at a time. */
const AT_A_TIME = 64;

/**
 * Deliveries a second of one webhook worker to sixteen receivers and to a single one (`--deliveries` each round). They stand beside
 * plain posts of the same bytes, and beside its statements without any post.
 */
export async function webhooks(bench: Bench): Promise<void> {
  const count = Number(bench.flag('deliveries') ?? 5_000);
  const databaseUrl = await bench.services.createDatabase();
  const pool = openPool(databaseUrl);
  // The worker would take part in another one's database.
  const aloneUrl = await bench.services.createDatabase();
  const alone = openPool(aloneUrl);
  const receiver = await startBaseline(bench, 'receiver', { RECEIVERS: String(RECEIVERS) });
  const receivers = (await (await fetch(`${receiver.url}/receivers`)).json()) as string[];
  const settings = { OUTBOUND_ALLOW: receivers.join(',') };
  const worker = await startWebhookWorker({ ...bench, databaseUrl, settings });
  const one = receivers.slice(0, 1);
  const agent = new http.Agent({ keepAlive: true, maxSockets: AT_A_TIME });
  const figures: Record<string, () => Promise<number>> = {
    'product, sixteen receivers': () => deliver(pool, count, receivers),
    'product, one receiver': () => deliver(pool, Math.ceil(count / 5), one),
    'plain, a connection each': () => countFor(bench.seconds, AT_A_TIME, () => post(receiver.url, false)),
    [KEPT]: () => countFor(bench.seconds, AT_A_TIME, () => post(receiver.url, agent)),
    [STATEMENTS]: async () => {
      await fillDeliveries(alone, { count, receivers });
      return deliverAlone(aloneUrl);
    },
  };
  const rates = new Map<string, number[]>(Object.keys(figures).map((name) => [name, []]));
  try {
    for (const one of [pool, alone]) {
      const accounts = await seedAccounts(one, 50);
      await fillHistory(one, accounts, (bench.rounds + 1) * (count + Math.ceil(count / 5)));
    }
    const pids = { worker: worker.pid, postgres: bench.services.postgresPid };
    for (let round = 0; round <= bench.rounds; round++) {
      for (const [name, run] of Object.entries(figures)) {
        const getCpu = meterCpu(pids);
        const perSecond = await run();
        if (name === 'product, sixteen receivers') {
          bench.say(`  cpu ${JSON.stringify(getCpu(count))} µs a delivery`);
        }
        if (round > 0) {
          rates.get(name)?.push(perSecond);
        }
      }
    }
    for (const [name, values] of rates) {
      const ratios = Object.fromEntries(
        BASELINES.filter((baseline) => baseline !== name).map((baseline) => [
          baseline,
          values.map((value, round) => value / Math.max(1, rates.get(baseline)?.[round] ?? 0)),
        ]),
      );
      bench.score({ scene: 'webhooks', name, unit: '/s', values, ratios });
      bench.say(`  ${name.padEnd(26)} ${spread(values)}/s`);
    }
  } finally {
    agent.destroy();
    await Promise.all([worker.stop(), receiver.stop()]);
    await Promise.all([pool.end(), alone.end()]);
  }
}

/** Delivers so many webhooks and returns how many a second arrived, from the first one to the last. */
export async function deliver(pool: pg.Pool, count: number, receivers: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ since: Date }>('SELECT clock_timestamp() AS since');
  await fillDeliveries(pool, { count, receivers });
  for (;;) {
    await sleep(200);
    const left = await pool.query("SELECT 1 FROM webhook_deliveries WHERE state <> 'delivered' LIMIT 1");
    if (left.rowCount === 0) {
      break;
    }
  }
  const result = await pool.query<{ seconds: number }>(
    `SELECT EXTRACT(EPOCH FROM max(delivered_at) - min(delivered_at))::float8 AS seconds
       FROM webhook_deliveries WHERE delivered_at >= $1`,
    [rows[0]?.since],
  );
  return count / (result.rows[0]?.seconds ?? Number.POSITIVE_INFINITY);
}

function post(url: string, agent: http.Agent | false): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(WEBHOOK_BODY) };
    const request = http.request(`${url}/hook`, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', resolve);
    });
    request.once('error', reject).end(WEBHOOK_BODY);
  });
}
