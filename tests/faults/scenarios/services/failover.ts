import { eventually, startSentinelGroup } from '@image-gateway/testing';
import type { FailoverServices } from '../../lab/failover/start-failover-services.js';
import { PROCESSES } from '../../lab/start-fleet.js';
import { untilReady } from '../../lab/start-laboratory.js';
import type { Scenario, Scene } from '../scenario.js';

/** Time after which the death of a primary of PostgreSQL is noticed, in milliseconds. */
const NOTICED_MS = 2_000;
/** Time by which an asynchronous standby is behind, in milliseconds. */
const BEHIND_MS = 1_000;
const BACK_MS = 30_000;
const UNTIL_BACK = { timeoutMs: 60_000, everyMs: 50 };

/** Waits for something after a failover, notes how long it took, and requires that it took less than 30 s. */
async function measure(
  scene: Scene,
  { what, since }: { readonly what: string; readonly since: number },
  happens: () => Promise<void>,
): Promise<void> {
  await eventually(happens, UNTIL_BACK);
  const tookMs = Math.round(performance.now() - since);
  scene.figure(`${what} after ms`, tookMs);
  scene.must(tookMs < BACK_MS, `${what} only after ${tookMs} ms`);
}

/** Lets the standby take over, and measures how long submits and tasks pause. */
async function failOver(scene: Scene): Promise<void> {
  const services = scene.lab.services as FailoverServices;
  const since = performance.now();
  scene.injected();
  const moved = services.failOver(NOTICED_MS);
  await measure(scene, { what: 'standby promoted', since }, () => moved);
  await measure(scene, { what: 'submit accepted', since }, async () => {
    const { answer } = await scene.submitOne({ prompt: 'sandbox:fixed' });
    if (answer !== '202') {
      throw new Error(`answered with ${answer}`);
    }
  });
  await measure(scene, { what: 'task ended', since }, async () => {
    const { rows } = await services.database.pool.query(
      `SELECT 1 FROM tasks WHERE account_id = $1 AND completed_at > now() - interval '1 second'`,
      [scene.customer.id],
    );
    if (rows.length === 0) {
      throw new Error('no task has ended');
    }
  });
}

async function noteLoad(scene: Scene, load: ReturnType<Scene['load']>): Promise<void> {
  const submissions = await load.done;
  const accepted = submissions.filter(({ outcome }) => outcome === 'accepted');
  scene.figure('submits not accepted', submissions.length - accepted.length);
  const slowestMs = Math.max(...accepted.map((one) => one.slowestMs));
  scene.figure('slowest accepted ms', Math.round(slowestMs));
}

/** Starts every process anew with other settings. */
async function restartAll({ lab }: Scene, env: Readonly<Record<string, string>>): Promise<void> {
  for (const process of PROCESSES.map(lab.fleet.process)) {
    process.change({ env });
    await process.terminate();
    process.up();
  }
  await untilReady(lab.fleet);
}

/** Primaries that die, and what takes their place. */
export const failoverScenarios: readonly Scenario[] = [
  {
    name: 'postgres-failover',
    lab: 'synchronous',
    fault: `kill -9 of the primary of PostgreSQL under load; ${NOTICED_MS / 1_000} s later its synchronous standby is promoted and the address moves`,
    outcome: 'nothing answered is lost; submits and tasks go on within 30 s',
    restWithinMs: 60_000,
    run: async (scene) => {
      const load = scene.load({ count: 400, perSecond: 30, keyed: 0 });
      await scene.sleep(4_000);
      await failOver(scene);
      await noteLoad(scene, load);
    },
  },
  {
    name: 'postgres-asynchronous-failover',
    lab: 'asynchronous',
    fault: `an asynchronous standby falls behind by ${BEHIND_MS / 1_000} s; then the primary dies by kill -9, the standby is promoted ${NOTICED_MS / 1_000} s later and the address moves`,
    outcome:
      'only what was answered after the standby fell behind is lost; the books add up; submits and tasks go on within 30 s',
    restWithinMs: 60_000,
    run: async (scene) => {
      const services = scene.lab.services as FailoverServices;
      const load = scene.load({ count: 400, perSecond: 30, keyed: 0, hook: null });
      await scene.sleep(4_000);
      const earlier = new Set(load.submissions.map(({ taskId }) => taskId));
      await services.cutStandby();
      await scene.sleep(BEHIND_MS);
      await failOver(scene);
      await noteLoad(scene, load);
      const { rows } = await services.database.pool.query<{ id: string }>(
        'SELECT id FROM tasks WHERE account_id = $1',
        [scene.customer.id],
      );
      const kept = new Set(rows.map(({ id }) => id));
      const lost = load.submissions.filter(
        ({ outcome, taskId }) => outcome === 'accepted' && !kept.has(taskId ?? ''),
      );
      scene.figure('answered and lost', lost.length);
      scene.must(lost.length > 0, 'the standby was not behind: nothing was tried');
      scene.must(
        lost.every(({ taskId }) => !earlier.has(taskId)),
        'a task is lost that was answered before the standby fell behind',
      );
      // For these clients the answer was no promise.
      for (const submission of lost) {
        submission.outcome = 'unknown';
      }
    },
  },
  {
    name: 'redis-failover',
    fault: 'every process behind three Sentinels; kill -9 of the primary of Redis under load',
    outcome: 'every submission 202 within 2 s; all connections are at the promoted server within 30 s',
    run: async (scene) => {
      const group = await startSentinelGroup();
      try {
        await restartAll(scene, { REDIS_URL: group.url });
        const load = scene.load({ count: 300, perSecond: 30, keyed: 0 });
        await scene.sleep(3_000);
        const before = await group.findPrimaryPort();
        const since = performance.now();
        await group.killPrimary();
        scene.injected();
        await measure(scene, { what: 'replica promoted', since }, async () => {
          if ((await group.findPrimaryPort()) === before) {
            throw new Error('the Sentinels name the dead primary');
          }
        });
        await measure(scene, { what: 'all connected', since }, async () => {
          const clients = await group.listClients();
          for (const name of [
            'name=api ',
            'name=api-limits ',
            'name=generation-consumer ',
            'name=webhook-consumer ',
          ]) {
            if (!clients.includes(name)) {
              throw new Error(`${name}is not connected`);
            }
          }
        });
        await noteLoad(scene, load);
        const late = load.submissions.filter(
          ({ answer, slowestMs }) => answer !== '202' || slowestMs > 2_000,
        );
        scene.must(late.length === 0, `${late.length} submissions were late or not answered 202`);
      } finally {
        await restartAll(scene, {});
        await group.dispose();
      }
    },
  },
];
