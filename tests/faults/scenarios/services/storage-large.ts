import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '@image-gateway/testing';
import type { Scenario, Scene } from '../scenario.js';
import { numbered } from '../support/numbered.js';
import { readSums } from '../support/read-sums.js';
import { sumCalls } from '../support/upstream-calls.js';
import { useProviders } from '../support/use-providers.js';

const NAME = 'storage-away-large';
// More than one worker takes, so that both get some.
const COUNT = 20;
const LATER = 6;
// All calls begin before the first answer shows that nothing can be stored.
const LATENCY_MS = 2_500;
const AWAY_MS = 10_000;
// Less than two of the responses, so that all others of the worker without a spool wait on their connections.
const MEMORY = '8MiB';
const GATE_CLOSED = 'the object store takes no images';

// The stub draws in the process of the wires, which a short lease takes for a database that is away.
// One account gets 14 of 16 slots: the first tasks are in both workers, and later ones find slots as well.
const SETTINGS = { LEASE_MS: '30000', HEARTBEAT_MS: '5000', GENERATION_CONCURRENCY: '16' };

/** Starts both workers anew, one with a spool that it can't write: its connections to providers have to wait for memory. */
async function startWorkers({ lab }: Scene): Promise<void> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'image-gateway-no-spool-'));
  const start = async (
    name: 'worker-1' | 'worker-2',
    env: Readonly<Record<string, string>>,
  ): Promise<void> => {
    const worker = lab.fleet.process(name);
    worker.change({ env: { ...lab.upstreamSettings, PROVIDERS: 'gemini,fal', ...SETTINGS, ...env } });
    await worker.terminate();
    worker.up();
    const started = 'SELECT 1 FROM worker_reports WHERE pid = $1';
    await eventually(
      async () => {
        const { rowCount } = await lab.services.database.pool.query(started, [worker.pid()]);
        if (rowCount === 0) {
          throw new Error(`${name} has not started`);
        }
      },
      { timeoutMs: 30_000 },
    );
  };
  await Promise.all([start('worker-1', { SPOOL_DIR: dir, ANSWER_MEMORY: MEMORY }), start('worker-2', {})]);
  rmSync(dir, { recursive: true });
}

/** How often workers have seen that puts fail, in the whole log: earlier scenarios close their gates too. */
const countClosedGates = ({ lab }: Scene): number => lab.readLog().split(GATE_CLOSED).length - 1;

/** Waits until each worker has seen a put fail. */
async function untilBothGatesClosed(scene: Scene, before: number): Promise<void> {
  await eventually(
    async () => {
      const seen = countClosedGates(scene) - before;
      if (seen < 2) {
        throw new Error(`${seen} workers have seen that nothing can be stored`);
      }
    },
    { timeoutMs: 30_000 },
  );
}

/** The object store away while large answers come in. */
export const largeStorageScenarios: readonly Scenario[] = [
  {
    name: NAME,
    tenants: { worstMs: 'slowest task of the other ms', cost: ['calls under way', 'slowest task ms'] },
    fault:
      'one account has answers of 4 MB on their way when the object store refuses connections for 10 s; one worker cannot write its spool',
    outcome: 'no call begins meanwhile; every image that was billed is stored, none is bought twice',
    providers: 'gemini,fal',
    restWithinMs: 60_000,
    run: async (scene) => {
      const { lab } = scene;
      await startWorkers(scene);
      const closedBefore = countClosedGates(scene);
      const full = { mode: 'ok', fullSize: true, noise: true, latencyMs: LATENCY_MS } as const;
      lab.upstreams.behave('gemini', full);
      lab.fleet.setWires('s3', { kind: 'refuse' });
      scene.injected();
      await scene.load({ count: COUNT, concurrency: COUNT, keyed: 0, wish: numbered(NAME) }).done;
      await untilBothGatesClosed(scene, closedBefore);
      const asked = sumCalls(scene, NAME).length;
      const other = await scene.another();
      await other.load({ count: LATER, concurrency: LATER, keyed: 0, wish: numbered(`${NAME} later`) }).done;
      await scene.sleep(AWAY_MS);
      scene.must(asked > 2, `only ${asked} calls were under way`);
      const more = sumCalls(scene, NAME).length - asked;
      scene.must(more === 0, `${more} calls began although nothing could be stored`);
      lab.fleet.setWires('s3', { kind: 'pass' });
      const own = await readSums(scene, scene.customer.id, 60_000);
      const later = await readSums(scene, other.id, 60_000);
      scene.figure('slowest task ms', own.slowestMs);
      scene.figure('slowest task of the other ms', later.slowestMs);
      scene.figure('calls under way', asked);
      const images = own.images + later.images;
      const tries = own.tries + later.tries;
      const billed = sumCalls(scene, NAME).reduce((sum, call) => sum + call.billed, 0);
      scene.must(billed === images, `${billed} images were billed and ${images} stored`);
      scene.must(images === COUNT + LATER && tries === 0, `${images} stored, ${tries} tries burnt`);
      await useProviders(lab, 'gemini,fal');
    },
  },
];
