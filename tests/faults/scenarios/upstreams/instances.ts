import type { Behaviour } from '@image-gateway/stub-upstreams';
import { applyCatalog } from '@image-gateway/testing';
import type { Scenario, Scene } from '../scenario.js';
import { followCatalog } from '../support/follow-catalog.js';
import { numbered } from '../support/numbered.js';
import { readSums } from '../support/read-sums.js';

const COUNT = 40;
const SLOW_MS = 3_000;
const FIRST_KEY = 'stub-openai-1';

/** Document that sells `nanobanana` on two instances of one protocol, half of the tasks each. */
const buildDocument = (url: string): string => {
  const provider = (name: string) =>
    `{ protocol: openai, base_url: "${url}/v1", key_env: ${name}_KEYS, concurrency: 8 }`;
  const route = (name: string) =>
    `{ provider: ${name}, model: Qwen/Qwen-Image, cost: { 1k: "0.001", 2k: "0.001", 4k: "0.001" }, weight: 1 }`;
  return `
providers: { gpu-1: ${provider('GPU_1')}, gpu-2: ${provider('GPU_2')} }
models: { nanobanana: { routes: [${route('gpu-1')}, ${route('gpu-2')}] } }`;
};

interface Seen {
  readonly completed: number;
  readonly median: number;
  readonly worst: number;
  /** Calls of each instance. */
  readonly first: number;
  readonly second: number;
  /** Calls of tasks that failed. */
  readonly lost: readonly string[];
}

async function readSeen(scene: Scene, start: string): Promise<Seen> {
  await readSums(scene);
  const { rows } = await scene.lab.services.database.pool.query<Seen>(
    `SELECT count(*) FILTER (WHERE status = 'completed')::int AS completed,
            COALESCE(percentile_cont(0.5) WITHIN GROUP (ORDER BY took), 0)::float8 AS median,
            array_remove(array_agg(lost), NULL) AS lost, COALESCE(max(took), 0)::float8 AS worst, sum(first)::int AS first, sum(second)::int AS second
       FROM (SELECT status,
                    (SELECT string_agg(concat_ws(' ', provider, state, detail), ', ') FROM provider_calls
                      WHERE task_id = tasks.id AND tasks.status = 'failed') AS lost, extract(epoch FROM completed_at - created_at) * 1000 AS took,
                    (SELECT count(*) FROM provider_calls WHERE task_id = tasks.id AND provider = 'gpu-1') AS first,
                    (SELECT count(*) FROM provider_calls WHERE task_id = tasks.id AND provider = 'gpu-2') AS second
               FROM tasks WHERE starts_with(prompt, $1)) AS one`,
    [start],
  );
  const [seen] = rows;
  if (!seen) {
    throw new Error('no sums');
  }
  return seen;
}

/** Instances of one protocol, of which one is in trouble. */
export const instanceScenarios: readonly Scenario[] = [
  {
    name: 'instances',
    fault: 'of two instances of one protocol one dies, has no money left, or takes three seconds a call',
    outcome: 'the other one draws every task at once, with a circuit of its own; each image is bought once',
    providers: 'gpu-1,gpu-2',
    restWithinMs: 40_000,
    run: async (scene) => {
      const { lab } = scene;
      await followCatalog(scene, buildDocument(lab.upstreamWire.url));
      const modes: readonly Behaviour[] = [
        { mode: 'ok' },
        { mode: 'ok', latencyMs: SLOW_MS, keys: [FIRST_KEY] },
        { mode: 'server-error', keys: [FIRST_KEY] },
        // Last: a key without money is set aside for ten minutes.
        { mode: 'billing', keys: [FIRST_KEY] },
      ];
      for (const [index, behaviour] of modes.entries()) {
        lab.upstreams.behave('openai', behaviour);
        const start = `instances ${index} ${scene.customer.id}`;
        const other = await scene.another();
        const loads = [scene.load({ count: COUNT, perSecond: 20, wish: numbered(start) })];
        loads.push(other.load({ count: COUNT, perSecond: 20, wish: numbered(`${start} other`) }));
        await Promise.all(loads.map(({ done }) => done));
        await readSums(scene, other.id);
        const { completed, median, worst, first, second, lost } = await readSeen(scene, start);
        const name = ['both well', 'one slow', 'one fails', 'one without money'][index] ?? '';
        scene.must(
          completed === 2 * COUNT,
          `${name}: ${completed} of ${2 * COUNT} were completed: ${lost.join('; ')}`,
        );
        scene.must(second > 0, `${name}: the second instance was never asked`);
        if (index > 1) {
          scene.must(first < COUNT, `${name}: the first instance was asked ${first} times`);
          scene.injected(first);
        }
        scene.figure(`${name}: calls of the first`, first);
        scene.figure(`${name}: median ms`, Math.round(median));
        scene.figure(`${name}: slowest ms`, Math.round(worst));
        const submitted = lab.upstreams.calls({ provider: 'openai', kind: 'submit' });
        const billed = submitted.filter(({ prompt }) => prompt?.startsWith(start));
        const images = billed.reduce((sum, call) => sum + call.billed, 0);
        scene.must(images === 2 * COUNT, `${name}: ${images} images were bought for ${2 * COUNT} tasks`);
      }
      lab.upstreams.behaveWell();
      await applyCatalog(lab.services.database, '');
    },
  },
];
