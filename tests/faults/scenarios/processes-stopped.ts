import { GRACE_MS, LEASE_MS } from '../lab/settings.js';
import { PROCESSES } from '../lab/start-fleet.js';
import type { Scenario } from './scenario.js';
import { readSums } from './support/read-sums.js';
import { untilRunning } from './support/until-running.js';
import { untilSending } from './support/until-sending.js';

const END_MS = GRACE_MS + 2_000;

/** Processes that are told to end, that are blocked, that lose everything at once, that die of every task. */
export const stoppedScenarios: readonly Scenario[] = [
  {
    name: 'worker-sigterm',
    fault: 'SIGTERM to a generation worker in the middle of short and long calls',
    outcome: `ends within the grace period and 2 s (${END_MS} ms), burns no try, the rest goes on elsewhere`,
    run: async (scene) => {
      const wish = () => ({ prompt: `sandbox:fixed sandbox:delay=${scene.random.pick([300, 4_000])}` });
      const load = scene.load({ count: 40, concurrency: 40, wish });
      await untilRunning(scene, 16);
      for (const name of ['worker-1', 'worker-2'] as const) {
        const tookMs = await scene.lab.fleet.process(name).terminate();
        scene.injected();
        scene.must(tookMs <= END_MS, `${name} took ${tookMs} ms to end`);
        scene.lab.fleet.process(name).up();
      }
      await load.done;
      const { tries } = await readSums(scene);
      scene.must(tries === 0, `${tries} tries were burnt by an orderly end`);
    },
  },
  {
    name: 'sigterm-without-redis',
    fault: 'Redis falls silent, then SIGTERM to every process',
    outcome: `each still ends within ${END_MS} ms`,
    run: async (scene) => {
      const load = scene.load({ count: 60, perSecond: 40 });
      await scene.sleep(500);
      scene.lab.fleet.setWires('redis', { kind: 'black-hole' });
      scene.injected();
      await scene.sleep(500);
      const ends = PROCESSES.map(async (name) => {
        const tookMs = await scene.lab.fleet.process(name).terminate();
        scene.injected();
        scene.must(tookMs <= END_MS, `${name} took ${tookMs} ms to end without Redis`);
      });
      await Promise.all(ends);
      for (const name of PROCESSES) {
        scene.lab.fleet.process(name).up();
      }
      scene.lab.fleet.setWires('redis', { kind: 'pass' });
      await load.done;
    },
  },
  {
    name: 'rolling-restart',
    fault: 'SIGTERM to one process after the other under load, as an upgrade does',
    outcome: 'no accepted task lost, no submission refused',
    run: async (scene) => {
      const load = scene.load({ count: 260, perSecond: 40 });
      for (const name of scene.random.shuffled(PROCESSES)) {
        await scene.lab.fleet.process(name).terminate();
        scene.lab.fleet.process(name).up();
        scene.injected();
        await scene.sleep(600);
      }
      await load.done;
    },
  },
  {
    name: 'worker-blocked',
    fault: 'the event loop of a generation worker blocked for two and a half leases',
    outcome: 'its tasks go on elsewhere; what it does afterwards changes nothing',
    run: async (scene) => {
      const wish = () => ({ prompt: `sandbox:fixed sandbox:delay=${scene.random.int(200, 1_500)}` });
      const load = scene.load({ count: 160, concurrency: 40, wish });
      await untilRunning(scene, 12);
      scene.lab.fleet.process('worker-1').block();
      await scene.sleep(LEASE_MS);
      scene.lab.fleet.process('worker-2').block();
      scene.injected(2);
      await load.done;
    },
  },
  {
    name: 'power-cut',
    fault: 'every process, Redis, PostgreSQL and the object store killed at the same moment',
    outcome: 'every 202 exists and ends; all goes on by itself',
    restWithinMs: 40_000,
    run: async (scene) => {
      const load = scene.load({ count: 300, perSecond: 60 });
      for (let n = 0; n < 2; n += 1) {
        await scene.sleep(1_800);
        for (const name of PROCESSES) {
          scene.lab.fleet.process(name).kill();
        }
        for (const service of ['redis', 's3', 'postgres'] as const) {
          scene.lab.services.signal(service, 'SIGKILL');
        }
        scene.injected(PROCESSES.length + 3);
        await scene.sleep(2_500);
      }
      await load.done;
    },
  },
  {
    name: 'poison-task',
    fault: 'a task whose worker is killed at every attempt',
    outcome: 'given up after three tries: failed, $0.00, its webhook says so; others go on',
    run: async (scene) => {
      const { pool } = scene.lab.services.database;
      const poison = await scene.submitOne({
        prompt: 'sandbox:fixed sandbox:delay=9000',
        webhook_url: scene.lab.receiver.url('ok', `poison-${scene.customer.id}`),
      });
      const healthy = scene.load({ count: 60, perSecond: 12, wish: () => ({ prompt: 'sandbox:fixed' }) });
      const look = async () => {
        const sql = 'SELECT status, phase, attempt FROM tasks WHERE id = $1';
        const { rows } = await pool.query<{ status: string; phase: string; attempt: number }>(sql, [
          poison.taskId,
        ]);
        return rows[0] ?? { status: 'missing', phase: 'done', attempt: 0 };
      };
      for (let [deaths, looks] = [0, 0]; looks < 400; looks += 1) {
        const { status, phase, attempt } = await look();
        if (status !== 'pending') {
          break;
        }
        if (phase === 'running' && attempt > deaths) {
          deaths = attempt;
          for (const name of ['worker-1', 'worker-2'] as const) {
            scene.lab.fleet.process(name).kill();
          }
          scene.injected(2);
        }
        await scene.sleep(100);
      }
      await healthy.done;
      const end = await look();
      scene.must(end.status === 'failed', `the poisoned task is ${end.status}`);
    },
  },
  {
    name: 'webhook-worker-killed',
    fault: 'kill -9 of the webhook worker in the middle of its posts',
    outcome: 'every webhook arrives, always under the same id',
    run: async (scene) => {
      const load = scene.load({
        count: 160,
        perSecond: 16,
        hook: (random) => random.pick(['slow', 'slow', 'ok', 'flaky']),
      });
      // A process that is only just starting has nothing to lose.
      for (let n = 0; n < 5; n += 1) {
        await untilSending(scene);
        scene.lab.fleet.process('webhooks-1').kill();
        scene.injected();
      }
      await load.done;
    },
  },
  {
    name: 'webhook-worker-paused',
    fault: 'SIGSTOP of the webhook worker for longer than its leases, then SIGCONT',
    outcome: 'every webhook arrives, always under the same id',
    restWithinMs: 30_000,
    run: async (scene) => {
      const load = scene.load({ count: 120, perSecond: 40, hook: () => 'ok' });
      await scene.sleep(1_500);
      scene.lab.fleet.process('webhooks-1').pause();
      scene.injected();
      await scene.sleep(8_000);
      scene.lab.fleet.process('webhooks-1').wake();
      await load.done;
    },
  },
];
