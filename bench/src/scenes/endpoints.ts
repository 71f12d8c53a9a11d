import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@image-gateway/shared/ids';
import type pg from 'pg';
import { spread } from '../report/spread.js';
import { startBaseline } from '../stage/baseline.js';
import type { Bench } from '../stage/bench.js';
import { openPool } from '../stage/open-pool.js';
import { startWebhookWorker } from '../stage/product.js';
import { fillDeliveries } from '../stage/rows/fill-deliveries.js';
import { fillHistory } from '../stage/rows/fill-history.js';
import { seedAccounts } from '../stage/rows/seed-accounts.js';
import { deliver } from './webhooks.js';

const RECEIVERS = 16;
const ENDPOINTS = 10;
/** Events that wait for each dead endpoint. */
const BACKLOG = 1_000;
/** Webhooks of a trickle, in batches of a fifth of a second. */
const TRICKLE = { batches: 15, size: 10 } as const;

/** Webhook worker on a database of its own. */
interface Stand {
  readonly pool: pg.Pool;
  readonly stop: () => Promise<unknown>;
}

/**
 * Deliveries a second of one webhook worker, and the time from due to delivered in a trickle. Both without dead endpoints, and
 * beside ten of one account.
 */
export async function endpoints(bench: Bench): Promise<void> {
  const count = Number(bench.flag('deliveries') ?? 5_000);
  const each = (bench.rounds + 1) * (count + TRICKLE.batches * TRICKLE.size);
  const receiver = await startBaseline(bench, 'receiver', { RECEIVERS: String(RECEIVERS) });
  const receivers = (await (await fetch(`${receiver.url}/receivers`)).json()) as string[];
  const dead = await openDeadHosts();
  const start = async (): Promise<Stand> => {
    const databaseUrl = await bench.services.createDatabase();
    const pool = openPool(databaseUrl);
    const settings = { OUTBOUND_ALLOW: [...receivers, ...dead.hosts].join(',') };
    await fillHistory(pool, await seedAccounts(pool, 50), each);
    const worker = await startWebhookWorker({ ...bench, databaseUrl, settings });
    return { pool, stop: () => Promise.all([worker.stop(), pool.end()]) };
  };
  const stands = { 'without dead endpoints': await start(), 'beside ten dead endpoints': await start() };
  try {
    await addDeadEndpoints(stands['beside ten dead endpoints'].pool, dead.hosts);
    const rates = new Map<string, number[]>(Object.keys(stands).map((name) => [name, []]));
    const waits = new Map<string, number[]>(Object.keys(stands).map((name) => [name, []]));
    for (let round = 0; round <= bench.rounds; round++) {
      for (const [name, { pool }] of Object.entries(stands)) {
        const perSecond = await deliver(pool, count, receivers);
        const waitMs = await trickle(pool, receivers);
        if (round > 0) {
          rates.get(name)?.push(perSecond);
          waits.get(name)?.push(waitMs);
        }
      }
    }
    report(bench, { unit: '/s', what: 'deliveries', values: rates });
    report(bench, { unit: 'ms', what: '95 % from due to delivered', values: waits });
  } finally {
    await Promise.all([...Object.values(stands).map(({ stop }) => stop()), receiver.stop(), dead.close()]);
  }
}

function report(
  bench: Bench,
  {
    unit,
    what,
    values,
  }: { readonly unit: '/s' | 'ms'; readonly what: string; readonly values: Map<string, number[]> },
): void {
  const [[base, alone] = ['', []]] = values;
  for (const [name, own] of values) {
    const ratios = {
      [`${what}, ${base}`]: own.map((value, round) => value / Math.max(0.001, alone[round] ?? 0)),
    };
    bench.score({
      scene: 'endpoints',
      name: `${what}, ${name}`,
      unit,
      values: own,
      ...(name !== base && { ratios }),
    });
    bench.say(`  ${`${what}, ${name}`.padEnd(56)} ${spread(own)} ${unit}`);
  }
}

/** Opens hosts of which half take requests and never answer, and half refuse connections. */
async function openDeadHosts(): Promise<{
  readonly hosts: readonly string[];
  readonly close: () => Promise<unknown>;
}> {
  const servers = await Promise.all(
    Array.from({ length: ENDPOINTS }, () => {
      const server = createServer(() => undefined);
      return new Promise<Server>((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
    }),
  );
  const hosts = servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`);
  const close = (server: Server): Promise<unknown> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  await Promise.all(servers.filter((_, n) => n % 2 === 0).map(close));
  return { hosts, close: () => Promise.all(servers.filter((_, n) => n % 2 === 1).map(close)) };
}

/** Adds an account whose endpoints are the hosts, each with events that are due. */
async function addDeadEndpoints(pool: pg.Pool, hosts: readonly string[]): Promise<void> {
  const [account] = await seedAccounts(pool, 1);
  await pool.query(
    `WITH e AS (
       INSERT INTO endpoints (id, account_id, slot, url, host_port, types, secret)
       SELECT id, $2, slot, 'http://' || host || '/events', host, '{key.cap_reached}', 'whsec_MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA='
         FROM unnest($1::text[], $3::text[]) WITH ORDINALITY u(id, host, slot) RETURNING id, account_id, host_port)
     INSERT INTO endpoint_deliveries (id, endpoint_id, account_id, host_port, type, body, next_attempt_at)
     SELECT new_message_id(), e.id, e.account_id, e.host_port, 'key.cap_reached', '{}', now() FROM e, generate_series(1, $4::int)`,
    [hosts.map(() => newId('ept')), account?.id, hosts, BACKLOG],
  );
}

/** Makes a few webhooks due at a time; returns the time in milliseconds after which 95 % of them were delivered. */
async function trickle(pool: pg.Pool, receivers: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ since: Date }>('SELECT clock_timestamp() AS since');
  const since = rows[0]?.since;
  for (let batch = 0; batch < TRICKLE.batches; batch++) {
    await fillDeliveries(pool, { count: TRICKLE.size, receivers });
    await sleep(200);
  }
  for (;;) {
    const { rows: found } = await pool.query<{ left: string; wait: number | null }>(
      `SELECT count(*) FILTER (WHERE delivered_at IS NULL) AS left,
              percentile_cont(0.95) WITHIN GROUP (ORDER BY EXTRACT(EPOCH FROM delivered_at - created_at)::float8 * 1000) AS wait
         FROM webhook_deliveries WHERE created_at >= $1`,
      [since],
    );
    if (found[0]?.left === '0' && found[0].wait !== null) {
      return found[0].wait;
    }
    await sleep(200);
  }
}
