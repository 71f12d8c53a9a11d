import { type Contestant, compete } from '../load/compete.js';
import { getRequest } from '../load/requests.js';
import { printRounds } from '../report/print-rounds.js';
import { startBaseline } from '../stage/baseline.js';
import type { Bench } from '../stage/bench.js';
import { openPool } from '../stage/open-pool.js';
import { startApi } from '../stage/product.js';
import { fillHistory, findSomeTasks } from '../stage/rows/fill-history.js';
import { seedAccounts } from '../stage/rows/seed-accounts.js';
import { startOther } from '../stage/start-other.js';
import type { Program } from '../stage/start-program.js';

const ACCOUNTS = 50;
const TASKS = 20_000;
const TASKS_OF_EACH = 40;

/**
 * Reads of finished tasks a second: bare Express, the plain way, the product as it answers, with `If-None-Match`, and a page of
 * the list.
 */
export async function poll(bench: Bench): Promise<void> {
  const { services } = bench;
  const databaseUrl = await services.createDatabase();
  const bare = await startBaseline(bench, 'bare-express');
  const plain = await startBaseline(bench, 'plain', {
    DATABASE_URL: databaseUrl,
    REDIS_URL: services.redisUrl,
  });
  const api = await startApi({ ...bench, databaseUrl });
  const other = await startOther(bench);
  try {
    const { reads, conditional, lists } = await fillTasks(databaseUrl, api.url);
    const product = { urls: [api.url], pids: { process: api.pid } };
    const contestants: Contestant[] = [
      { name: 'bare Express', urls: [bare.url], requests: reads, status: 200, pids: { process: bare.pid } },
      { name: 'plain', urls: [plain.url], requests: reads, status: 200, pids: { process: plain.pid } },
      { name: 'product', ...product, requests: reads, status: 200 },
      { name: 'product, list page', ...product, requests: lists, status: 200 },
      // Two builds do as much as each other: the one that did more would be the faster one.
      ...(other
        ? besides(other, await fillTasks(other.databaseUrl, other.url))
        : [{ name: 'product, 304', ...product, requests: conditional, status: 304 }]),
    ];
    printRounds(bench, 'poll', await compete(bench, contestants));
  } finally {
    await Promise.all([bare.stop(), plain.stop(), api.stop(), other?.stop()]);
  }
}

/** Requests for finished tasks, for the same with their `ETag`, and for a page of the list of each account. */
interface Polls {
  readonly reads: readonly string[];
  readonly conditional: readonly string[];
  readonly lists: readonly string[];
}

/** Fills a database with finished tasks; an API of that database gives their `ETag`s. */
async function fillTasks(databaseUrl: string, url: string): Promise<Polls> {
  const pool = openPool(databaseUrl);
  const polls = { reads: [] as string[], conditional: [] as string[], lists: [] as string[] };
  try {
    const accounts = await seedAccounts(pool, ACCOUNTS);
    await fillHistory(pool, accounts, TASKS);
    for (const { id: accountId, apiKey } of accounts) {
      const headers = { Authorization: `Bearer ${apiKey}` };
      polls.lists.push(getRequest('/v1/tasks', headers));
      for (const id of await findSomeTasks(pool, accountId, TASKS_OF_EACH)) {
        const path = `/v1/tasks/${id}`;
        const answer = await fetch(url + path, { headers: { authorization: `Bearer ${apiKey}` } });
        await answer.arrayBuffer();
        const etag = answer.headers.get('etag') ?? '';
        polls.reads.push(getRequest(path, headers));
        polls.conditional.push(getRequest(path, { ...headers, 'If-None-Match': etag }));
      }
    }
    return polls;
  } finally {
    await pool.end();
  }
}

function besides({ url, pid }: Program, { reads, lists }: Polls): Contestant[] {
  const other = { urls: [url], pids: { process: pid }, status: 200 };
  return [
    { name: 'product, beside', ...other, requests: reads },
    { name: 'product, list page, beside', ...other, requests: lists },
  ];
}
