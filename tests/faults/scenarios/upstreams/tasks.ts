import { applyCatalog } from '@image-gateway/testing';
import type { Scenario, Scene } from '../scenario.js';
import { followCatalog } from '../support/follow-catalog.js';
import { killDuring } from '../support/kill-during.js';
import { numbered } from '../support/numbered.js';
import { readSums } from '../support/read-sums.js';
import { sumCalls } from '../support/upstream-calls.js';

const COUNT = 80;
const WORKERS = ['worker-1', 'worker-2'] as const;

/** Document that sells `nanobanana` at a reseller and at another gateway, half of the tasks each. */
const buildDocument = (url: string): string => {
  const provider = (preset: string, folder: string, keys: string) => ({
    protocol: 'task',
    preset,
    base_url: `${url}/task/${folder}/v1`,
    key_env: keys,
  });
  const cost = { '1k': '0.001', '2k': '0.001', '4k': '0.001' };
  const types = ['image_generate', 'image_edit'];
  const routes = ['relay', 'chain'].map((name) => ({
    provider: name,
    model: 'a-model',
    types,
    cost,
    weight: 1,
  }));
  return JSON.stringify({
    providers: {
      relay: provider('evolink', 'evolink', 'RELAY_KEYS'),
      chain: provider('image-gateway', 'gateway', 'CHAIN_KEYS'),
    },
    models: { nanobanana: { routes } },
  });
};

/** Calls of tasks that failed, each as provider, state and detail. */
async function readLost(scene: Scene, start: string): Promise<readonly string[]> {
  const { rows } = await scene.lab.services.database.pool.query<{ lost: string }>(
    `SELECT string_agg(concat_ws(' ', c.provider, c.state, c.detail), ', ' ORDER BY c.created_at) AS lost
       FROM tasks t LEFT JOIN provider_calls c ON c.task_id = t.id
      WHERE starts_with(t.prompt, $1) AND t.status = 'failed' GROUP BY t.id`,
    [start],
  );
  return rows.map(({ lost }) => lost);
}

/** Task APIs whose answers are lost, and workers that die while jobs run. */
export const taskScenarios: readonly Scenario[] = [
  {
    name: 'upstreams-tasks',
    fault:
      'a reseller and another gateway as upstreams: answers to submissions are lost, workers are killed -9',
    outcome:
      'no image is bought twice; the other gateway is asked again under the same id and draws every image',
    providers: 'relay,chain',
    restWithinMs: 40_000,
    run: async (scene) => {
      const { lab } = scene;
      await followCatalog(scene, buildDocument(lab.upstreamWire.url));
      lab.upstreams.behave('task', [
        { mode: 'lost-answer', on: ['submit'], times: COUNT / 10 },
        { mode: 'ok', jobMs: 1_500 },
      ]);
      const start = `tasks ${scene.customer.id}`;
      const load = scene.load({ count: COUNT, perSecond: 15, keyed: 1, wish: numbered(start) });
      await scene.sleep(1_000);
      await killDuring(scene, WORKERS, 3, 2_000);
      await load.done;
      await readSums(scene, scene.customer.id, 60_000);
      const sums = sumCalls(scene, start);
      const twice = sums.filter(({ billed }) => billed > 1);
      scene.must(twice.length === 0, `bought twice: ${JSON.stringify(twice.slice(0, 3))}`);
      const repeated = sums.filter(({ submits }) => submits > 1).length;
      const lost = await readLost(scene, start);
      const wrong = lost.filter((calls) => !/^relay unknown( \w+)?$/.test(calls));
      scene.must(
        wrong.length === 0,
        `failed although it can be asked again: ${wrong.slice(0, 3).join('; ')}`,
      );
      scene.must(repeated > 0, 'no submission was repeated: the scenario shows nothing');
      scene.figure('submissions repeated under the same id', repeated);
      scene.figure('unknown at the reseller', lost.length);
      lab.upstreams.behaveWell();
      await applyCatalog(lab.services.database, '');
    },
  },
];
