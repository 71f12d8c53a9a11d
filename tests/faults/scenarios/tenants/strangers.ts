import { hash } from 'node:crypto';
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

/**
 * Watches which keys the APIs look up in PostgreSQL, by the SHA-256 that they send. The returned function ends that and tells
 * their number.
 */
function watchLookUps({ lab }: Scene, keys: readonly string[]): () => number {
  const hashes = keys.map((key) => hash('sha256', key, 'buffer'));
  const found = new Set<number>();
  const stops = (['api-1', 'api-2'] as const).map((api) =>
    lab.fleet.wire(api, 'postgres').watch((data) => {
      for (const [index, digest] of hashes.entries()) {
        if (data.includes(digest)) {
          found.add(index);
        }
      }
    }),
  );
  return () => {
    for (const stop of stops) {
      stop();
    }
    return found.size;
  };
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
      const keys = Array.from({ length: COUNT }, () => newApiKey().key);
      const countLookUps = watchLookUps(scene, keys);
      const ordinary = scene.load({
        count: ORDINARY,
        perSecond: 20,
        wish: () => ({ prompt: 'sandbox:fixed' }),
      });
      const agent = new Agent({ keepAlive: true, maxSockets: 60 });
      const getUrl = (n: number): string => apiUrls[n % apiUrls.length] ?? '';
      const [forged, invented] = await Promise.all([
        Promise.all(
          keys.map((key, n) => ask(agent, `${getUrl(n)}/v1/tasks`, { authorization: `Bearer ${key}` })),
        ),
        Promise.all(keys.map((_, n) => ask(agent, `${getUrl(n)}/files/images/${newId('gen')}/0.png`))),
      ]);
      scene.injected(2 * COUNT);
      agent.destroy();
      const submissions = await ordinary.done;
      const lookUps = countLookUps();
      const slowest = Math.max(...submissions.map(({ slowestMs }) => slowestMs));
      scene.figure('keys looked up', lookUps);
      scene.figure('slowest submit of the others ms', slowest);
      scene.figure('refused with 429', forged.filter((status) => status === 429).length);
      scene.must(lookUps > 0 && lookUps <= MAX_LOOK_UPS, `${lookUps} keys were looked up`);
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
