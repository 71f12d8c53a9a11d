import { eventually } from '@image-gateway/testing';
import { type RestoredSite, takeBackup } from '../../lab/failover/restore-site.js';
import type { Scenario, Scene } from '../scenario.js';

const WAITING = 30;
const UNTIL_REST = { timeoutMs: 60_000, everyMs: 200 };

/** A backup that is taken under load and restored on an empty server. */
export const backupScenarios: readonly Scenario[] = [
  {
    name: 'backup-restore',
    lab: 'synchronous',
    fault:
      'pg_dump under load, then a copy of the bucket; both restored for new processes on an empty server',
    outcome:
      'tasks that were pending end, the books add up, every image is served, pending webhooks are sent under their ids',
    restWithinMs: 60_000,
    run: async (scene) => {
      const { lab } = scene;
      // Webhooks of these tasks wait for the restored site.
      await lab.fleet.process('webhooks-1').down();
      const wish = () => ({ prompt: 'sandbox:fixed' });
      await scene.load({ count: WAITING, keyed: 0, wish, hook: () => 'ok' }).done;
      await untilRest(scene.lab.services.database.pool, scene);
      const load = scene.load({ count: 300, perSecond: 40, keyed: 0, hook: null });
      await scene.sleep(3_000);
      scene.injected();
      const backup = await takeBackup(lab);
      try {
        await load.done;
        scene.figure('dump ms', backup.dumpMs);
        scene.figure('copy of the bucket ms', backup.copyMs);
        scene.figure('images in the copy', backup.images);
        const site = await backup.restore();
        try {
          scene.figure('restore ms', site.restoreMs);
          await judgeRestored(scene, site);
        } finally {
          await site.stop();
        }
      } finally {
        await backup.discard();
      }
    },
  },
];

async function untilRest(pool: RestoredSite['pool'], scene: Scene): Promise<void> {
  await eventually(async () => {
    const { rows } = await pool.query<{ open: number }>(
      `SELECT count(*)::int AS open FROM tasks WHERE account_id = $1 AND status = 'pending'`,
      [scene.customer.id],
    );
    if (rows[0]?.open !== 0) {
      throw new Error(`${rows[0]?.open} tasks are pending`);
    }
  }, UNTIL_REST);
}

async function judgeRestored(scene: Scene, site: RestoredSite): Promise<void> {
  const { rows: pending } = await site.pool.query<{ id: string }>(
    `SELECT w.id FROM webhook_deliveries w WHERE w.account_id = $1`,
    [scene.customer.id],
  );
  const { rows: tasks } = await site.pool.query<{ wasOpen: number }>(
    `SELECT count(*) FILTER (WHERE status = 'pending')::int AS "wasOpen" FROM tasks WHERE account_id = $1`,
    [scene.customer.id],
  );
  scene.figure('tasks pending in the dump', tasks[0]?.wasOpen ?? 0);
  await untilRest(site.pool, scene);
  await eventually(() => {
    const received = new Set(scene.lab.receiver.hooks().map(({ id }) => id));
    const missing = pending.filter(({ id }) => !received.has(id));
    if (missing.length > 0) {
      throw new Error(`${missing.length} pending webhooks were not sent`);
    }
    return Promise.resolve();
  }, UNTIL_REST);
  scene.figure('pending webhooks sent', pending.length);
  scene.must(pending.length === WAITING, `the dump has ${pending.length} of ${WAITING} webhooks`);
  await site.checkLedger();
  const { rows: outputs } = await site.pool.query<{ key: string; sha256: string }>(
    `SELECT o.key, o.sha256 FROM task_outputs o JOIN tasks t ON t.id = o.task_id WHERE t.status = 'completed' AND t.account_id = $1`,
    [scene.customer.id],
  );
  let served = 0;
  for (const { key } of outputs) {
    const { status } = await fetch(`${site.fleet.apiUrls[0]}/files/${key}`);
    served += status === 200 ? 1 : 0;
  }
  scene.figure('images served', served);
  scene.must(
    served === outputs.length,
    `${outputs.length - served} of ${outputs.length} images are not served`,
  );
}
