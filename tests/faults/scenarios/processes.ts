import { eventually } from '@image-gateway/testing';
import { LEASE_MS, RECOVERY_MS } from '../lab/settings.js';
import type { Scenario } from './scenario.js';
import { killDuring } from './support/kill-during.js';
import { readSums } from './support/read-sums.js';
import { untilHalfway } from './support/until-halfway.js';
import { untilRunning } from './support/until-running.js';

const APIS = ['api-1', 'api-2'] as const;
const WORKERS = ['worker-1', 'worker-2'] as const;

/** Processes that are killed, paused and blocked. */
export const processScenarios: readonly Scenario[] = [
  {
    name: 'api-killed',
    fault: 'kill -9 of either API while submissions are under way, again and again',
    outcome: 'every 202 exists; a request without an answer made one task or none',
    run: async (scene) => {
      const load = scene.load({ count: 260, perSecond: 70 });
      await killDuring(scene, APIS, 8, 900);
      await load.done;
    },
  },
  {
    name: 'worker-killed',
    fault: 'kill -9 of a generation worker in the middle of its calls',
    outcome: 'the other one takes over within lease and sweep; charged once',
    run: async (scene) => {
      const load = scene.load({ count: 240, perSecond: 50 });
      await killDuring(scene, WORKERS, 5, 1_500);
      await load.done;
    },
  },
  {
    name: 'worker-killed-halfway',
    fault:
      'kill -9 of both generation workers when some images of their tasks are stored, and others are not',
    outcome:
      'what is stored is kept, the missing ones are asked for, every task completes with all of its images',
    run: async (scene) => {
      scene.lab.liar.lie('slow', 100_000, 400);
      const wish = () => ({ prompt: 'sandbox:fixed', num_outputs: 4 });
      const load = scene.load({ count: 16, concurrency: 16, wish });
      const stored = await untilHalfway(scene, 6);
      for (const name of WORKERS) {
        scene.lab.fleet.process(name).kill();
        scene.injected();
      }
      scene.lab.liar.lie('pass');
      await load.done;
      const { tasks, images, asked } = await readSums(scene);
      scene.figure('stored before', stored);
      scene.must(images === 4 * tasks, `${tasks} tasks of four images ended with ${images}`);
      scene.must(
        asked <= 2 * images - stored,
        `${asked} images asked for, ${stored} of ${images} stored before`,
      );
    },
  },
  {
    name: 'orphan-recovery',
    fault: 'kill -9 of the generation worker that runs a task; it stays down',
    outcome: `claimed by the other one within lease + sweep + 5 s (${RECOVERY_MS} ms)`,
    run: async (scene) => {
      const load = scene.load({
        count: 24,
        concurrency: 24,
        wish: () => ({ prompt: 'sandbox:fixed sandbox:delay=2500' }),
      });
      await untilRunning(scene, 18);
      const victim = scene.lab.fleet.process('worker-1');
      const { pool } = scene.lab.services.database;
      const { rows: orphans } = await pool.query<{ id: string }>(
        "SELECT id FROM tasks WHERE account_id = $1 AND phase = 'running' AND worker_id LIKE '%-' || $2 || '-%'",
        [scene.customer.id, victim.pid()],
      );
      const killed = performance.now();
      await victim.down();
      scene.injected();
      await load.done;
      await eventually(
        async () => {
          const { rows } = await pool.query(
            "SELECT 1 FROM tasks WHERE id = ANY($1) AND status = 'pending' AND attempt < 2",
            [orphans.map(({ id }) => id)],
          );
          if (rows.length > 0) {
            throw new Error(`${rows.length} orphans are unclaimed`);
          }
        },
        { timeoutMs: 2 * RECOVERY_MS },
      );
      const recoveredMs = performance.now() - killed;
      scene.figure('orphans', orphans.length);
      scene.figure('recovered after ms', recoveredMs);
      scene.must(orphans.length > 0, 'the killed worker ran nothing');
      scene.must(recoveredMs <= RECOVERY_MS, `orphans were claimed only after ${recoveredMs} ms`);
    },
  },
  {
    name: 'worker-paused',
    fault: 'SIGSTOP of a generation worker for longer than its leases, then SIGCONT',
    outcome: 'what wakes up changes nothing that the other one did',
    run: async (scene) => {
      for (const name of WORKERS) {
        const load = scene.load({
          count: 70,
          concurrency: 40,
          wish: (random) => ({ prompt: `sandbox:fixed sandbox:delay=${random.int(200, 1_500)}` }),
        });
        await untilRunning(scene, 12);
        const frozen = scene.lab.fleet.process(name);
        frozen.pause();
        scene.injected();
        await scene.sleep(3 * LEASE_MS);
        frozen.wake();
        await load.done;
      }
    },
  },
];
