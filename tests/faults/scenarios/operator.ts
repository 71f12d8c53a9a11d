import { settleTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { readRedis } from '../closing/read-redis.js';
import type { Scenario } from './scenario.js';
import { untilRunning } from './support/until-running.js';

/** An operator who interferes, and hints that may not be there. */
export const operatorScenarios: readonly Scenario[] = [
  {
    name: 'operator-fails-tasks',
    fault: 'an operator fails tasks while their images are being stored in a slow object store',
    outcome: 'failed at $0.00, their images are removed, what is stored late as well',
    restWithinMs: 40_000,
    run: async (scene) => {
      const { db, pool } = scene.lab.services.database;
      scene.lab.liar.lie('slow', 400, 900);
      const wish = () => ({ prompt: 'sandbox:fixed', num_outputs: 4 });
      const load = scene.load({ count: 24, concurrency: 24, wish });
      await untilRunning(scene, 10);
      await scene.sleep(1_500);
      const { rows } = await pool.query<{ id: string; attempt: number }>(
        "SELECT id, attempt FROM tasks WHERE account_id = $1 AND phase = 'running'",
        [scene.customer.id],
      );
      let failed = 0;
      for (const { id: taskId, attempt } of rows) {
        const end = { taskId, attempt, reason: 'an operator said so', discardImages: true };
        const { settled } = await settleTask({ db, newId, fileUrl: 'http://files' }, end);
        if (settled) {
          failed += 1;
        }
      }
      scene.injected(failed);
      scene.figure('failed by the operator', failed);
      scene.must(failed > 0, 'no task was running');
      await load.done;
    },
  },
  {
    name: 'hint-without-task',
    fault:
      "submissions that are not committed, since the account's row is locked, while the workers stand still",
    outcome: 'Redis holds no hint at a task that does not exist',
    run: async (scene) => {
      const { pool } = scene.lab.services.database;
      for (const name of ['worker-1', 'worker-2'] as const) {
        scene.lab.fleet.process(name).pause();
      }
      scene.injected(2);
      const holder = await pool.connect();
      holder.on('error', () => scene.must(false, 'the lock was lost'));
      try {
        await holder.query('BEGIN');
        await holder.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [scene.customer.id]);
        scene.injected();
        const load = scene.load({ count: 12, concurrency: 12, keyed: 0 });
        await scene.sleep(1_200);
        const hinted = new Set((await readRedis(scene.lab.services)).match(/gen_[0-9A-Za-z]+/g) ?? []);
        const { rows } = await pool.query<{ id: string }>('SELECT id FROM tasks WHERE id = ANY($1)', [
          [...hinted],
        ]);
        scene.must(
          rows.length === hinted.size,
          `${hinted.size - rows.length} hints at tasks that do not exist`,
        );
        await holder.query('ROLLBACK');
        await load.done;
      } finally {
        holder.release(true);
      }
    },
  },
];
