import { Agent, request } from 'node:http';
import { newApiKey, newId } from '@image-gateway/shared/ids';
import type { Scenario, Scene } from '../scenario.js';

/** Requests of strangers of each kind. */
const COUNT = 800;
/** Address of the strangers: refusals of theirs must not meet the others. */
const ADDRESS = '127.0.0.9';
/** Submits of the others. */
const ORDINARY = 80;
/** Failed authentications that an address has (`RATE_LIMIT_AUTH`), and lookups that two APIs may have begun when it is used up. */
const MAX_LOOK_UPS = 20 + 40;
const MAX_SUBMIT_MS = 2_000;
/** Time after which PostgreSQL's sessions have told their counts. */
const COUNTED_AFTER_MS = 2_500;

/** Reads of the table of keys so far: lookups, and what submits and the caches of the APIs read of keys in use. */
async function countReads({ lab, sleep }: Scene): Promise<number> {
  await sleep(COUNTED_AFTER_MS);
  const { rows } = await lab.services.database.pool.query<{ scans: string }>(
    `SELECT COALESCE(idx_scan, 0) + seq_scan AS scans FROM pg_stat_user_tables WHERE relname = 'api_keys'`,
  );
  return Number(rows[0]?.scans);
}

/** Sends a request from the address of the strangers; returns the status. */
function ask(agent: Agent, url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, headers, localAddress: ADDRESS }, (incoming) => {
      incoming.resume();
      incoming.on('end', () => resolve(incoming.statusCode ?? 0));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** People without a key who invent keys and names of files. */
export const strangerScenarios: readonly Scenario[] = [
  {
    name: 'strangers',
    tenants: { worstMs: 'slowest submit of the others ms', cost: ['keys looked up', 'refused with 429'] },
    fault: `${COUNT} forged keys and ${COUNT} invented file names from one address while others submit`,
    outcome: `at most ${MAX_LOOK_UPS} keys reach PostgreSQL, every file name is 404, submits take less than ${MAX_SUBMIT_MS} ms`,
    run: async (scene) => {
      const { apiUrls } = scene.lab.fleet;
      const wish = () => ({ prompt: 'sandbox:fixed' });
      // The keys of the others are in use already.
      await scene.load({ count: 10, perSecond: 20, wish }).done;
      const first = await countReads(scene);
      await scene.load({ count: ORDINARY, perSecond: 20, wish }).done;
      const before = await countReads(scene);
      const ordinary = scene.load({ count: ORDINARY, perSecond: 20, wish });
      const agent = new Agent({ keepAlive: true, maxSockets: 60 });
      const send = (path: () => string, headers?: () => Record<string, string>): Promise<number[]> =>
        Promise.all(
          Array.from({ length: COUNT }, (_, n) =>
            ask(agent, `${apiUrls[n % apiUrls.length]}${path()}`, headers?.()),
          ),
        );
      const [forged, invented] = await Promise.all([
        send(
          () => '/v1/tasks',
          () => ({ authorization: `Bearer ${newApiKey().key}` }),
        ),
        send(() => `/files/images/${newId('gen')}/0.png`),
      ]);
      scene.injected(2 * COUNT);
      agent.destroy();
      const submissions = await ordinary.done;
      // The same submits without strangers took `before - first` reads.
      const lookUps = (await countReads(scene)) - before - (before - first);
      const slowest = Math.max(...submissions.map(({ slowestMs }) => slowestMs));
      scene.figure('keys looked up', lookUps);
      scene.figure('slowest submit of the others ms', slowest);
      scene.figure('refused with 429', forged.filter((status) => status === 429).length);
      scene.must(lookUps <= MAX_LOOK_UPS, `${lookUps} keys were looked up`);
      scene.must(
        forged.every((status) => status === 401 || status === 429),
        `forged keys were answered ${[...new Set(forged)].join(', ')}`,
      );
      scene.must(
        invented.every((status) => status === 404),
        `invented file names were answered ${[...new Set(invented)].join(', ')}`,
      );
      scene.must(slowest < MAX_SUBMIT_MS, `a submit took ${Math.round(slowest)} ms`);
    },
  },
];
