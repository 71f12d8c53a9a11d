import { setTimeout as sleep } from 'node:timers/promises';
import { fillBacklog } from '../load/fill-backlog.js';
import { parseTarget } from '../load/parse-target.js';
import { type ProbeTimes, probeTask } from '../load/probe-task.js';
import { getRequest } from '../load/requests.js';
import { submissions } from '../load/submissions.js';
import { quantile } from '../report/quantile.js';
import type { Bench } from './bench.js';
import { startWebhookWorker } from './product.js';
import { countTasks } from './rows/count-tasks.js';
import { fillHistory } from './rows/fill-history.js';
import type { SeededAccount } from './rows/seed-accounts.js';
import { startReceivers } from './start-receivers.js';
import { type Product, withProduct } from './with-product.js';

const PROBES = 30;
const BETWEEN_MS = 150;
const READ_SECONDS = 12;
const READERS = 32;
const HISTORY = 50_000;
const EDITS = 400;
const WEBHOOKS = 400;

/** One account's doing: begins it, and gives what ends it and tells what it came to. */
type Attack = (stage: {
  readonly bench: Bench;
  readonly product: Product;
  readonly url: string;
  readonly attacker: SeededAccount;
  /** Address that accepts requests and answers none. */
  readonly silentUrl: string;
}) => Promise<{ readonly done: Promise<string> }>;

/** Floods that one account can make of something else than tasks alone. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  reads: async ({ bench, url, attacker: { apiKey } }) => {
    const headers = { Authorization: `Bearer ${apiKey}` };
    const requests = ['/v1/tasks?page=400&per_page=100', '/v1/usage?page=400&per_page=100'].map((path) =>
      getRequest(path, headers),
    );
    const plan = { ...parseTarget([url]), connections: READERS, requests, seconds: READ_SECONDS };
    return { done: bench.loader.run(plan).then(({ statuses }) => JSON.stringify(statuses)) };
  },
  edits: async ({ bench, url, attacker, silentUrl }) => {
    const body = { model: 'nanobanana', prompt: 'sandbox:fixed', image_urls: [`${silentUrl}/input.png`] };
    await fillBacklog(bench, url, submissions([attacker], body), EDITS);
    return { done: Promise.resolve(`${EDITS} edits or more`) };
  },
  webhooks: async ({ bench, product, url, attacker, silentUrl }) => {
    const body = { model: 'nanobanana', prompt: 'sandbox:fixed', webhook_url: `${silentUrl}/hook` };
    await fillBacklog(bench, url, submissions([attacker], body), WEBHOOKS);
    while ((await countTasks(product.pool)).open > 0) {
      await sleep(100);
    }
    return { done: Promise.resolve(`${WEBHOOKS} webhooks or more`) };
  },
};

/** Times of single tasks of one account beside another one's flood of reads, edits or webhooks, as ratios to those on an idle product. */
export async function measureNeighbour(bench: Bench, name: string, attack: Attack): Promise<void> {
  const receivers = await startReceivers();
  const settings = { OUTBOUND_ALLOW: receivers.hosts.join(',') };
  try {
    await withProduct(bench, { accounts: 2, settings }, async (product) => {
      const [attacker, victim] = product.accounts;
      const url = product.apis[0]?.url;
      if (!attacker || !victim || url === undefined) {
        throw new Error('two accounts and an API are needed');
      }
      // The first account gets a tenth of the history.
      if (name === 'reads') {
        await fillHistory(product.pool, [victim, attacker], HISTORY);
      }
      await product.startWorkers(2, settings);
      const worker = await startWebhookWorker({ ...bench, databaseUrl: product.databaseUrl, settings });
      try {
        const { url: webhookUrl, awaitWebhook } = receivers;
        const probeMany = async (): Promise<ProbeTimes[]> => {
          const times: ProbeTimes[] = [];
          for (let i = 0; i < PROBES; i++) {
            times.push(await probeTask({ url, apiKey: victim.apiKey, webhookUrl, awaitWebhook }));
            await sleep(BETWEEN_MS);
          }
          return times;
        };
        await probeMany(); // warm-up
        const idle = await probeMany();
        const { done } = await attack({ bench, product, url, attacker, silentUrl: receivers.silentUrl });
        const flooded = await probeMany();
        bench.say(`  ${name}: ${await done}`);
        for (const what of ['submit', 'poll', 'end', 'webhook'] as const) {
          bench.say(`    ${what.padEnd(8)} ${compare(idle, flooded, what)}`);
        }
      } finally {
        receivers.close();
        await worker.stop();
      }
    });
  } finally {
    receivers.close();
  }
}

function compare(
  idle: readonly ProbeTimes[],
  flooded: readonly ProbeTimes[],
  what: keyof ProbeTimes,
): string {
  const of = (times: readonly ProbeTimes[]): number[] =>
    [0.5, 0.95, 1].map((share) =>
      quantile(
        times.map((one) => one[what]),
        share,
      ),
    );
  const [before, beside] = [of(idle), of(flooded)];
  const text = (values: readonly number[]): string => values.map((ms) => Math.round(ms)).join(' / ');
  const ratios = beside.map((ms, i) => (ms / Math.max(1, before[i] ?? 0)).toFixed(1)).join(' / ');
  return `p50 / p95 / worst: idle ${text(before)} ms, beside it ${text(beside)} ms, ratio ${ratios}`;
}
