import type { ProcessName } from '../../lab/start-fleet.js';
import type { Scenario, Scene } from '../scenario.js';
import { untilRunning } from '../support/until-running.js';
import { SLOW_STARTS } from './may-fire.js';

const BLOCK_MS = 600;
const PAUSE_MS = 100;
const KILL_EVERY_MS = 3_000;

const keepDown = async (scene: Scene, names: readonly ProcessName[]): Promise<void> => {
  await Promise.all(names.map((name) => scene.lab.fleet.process(name).down()));
  scene.injected(names.length);
};

/** Repeats a fault until alerts fire. */
export async function repeatUntilFiring(
  { lab }: Scene,
  alerts: readonly string[],
  fault: () => Promise<void>,
): Promise<void> {
  const fires = { yet: false };
  const waiting = lab.alerts.untilFiring(alerts).finally(() => {
    fires.yet = true;
  });
  // Its error is thrown below, when the fault has ended.
  waiting.catch(() => undefined);
  while (!fires.yet) {
    await fault();
  }
  await waiting;
}

/** Processes that are gone, die again and again, or do not come to their work. */
export const processAlertScenarios: readonly Scenario[] = [
  {
    name: 'alert-apis-gone',
    fault: 'both APIs are gone',
    outcome: 'it is told that they are, and that nobody counts due work',
    alerts: { fire: ['GatewayProcessMissing', 'GatewayDueWorkUnknown'] },
    run: async (scene) => {
      await keepDown(scene, ['api-1', 'api-2']);
      await scene.lab.alerts.untilFiring(['GatewayProcessMissing', 'GatewayDueWorkUnknown']);
    },
  },
  {
    name: 'alert-workers-gone',
    fault: 'both generation workers are gone, and tasks wait',
    outcome: 'it is told that they are, and that work waits',
    alerts: { fire: ['GatewayProcessMissing', 'GatewayDueWorkWaits'] },
    run: async (scene) => {
      await keepDown(scene, ['worker-1', 'worker-2']);
      await scene.load({ count: 10, concurrency: 10, keyed: 0 }).done;
      await scene.lab.alerts.untilFiring(['GatewayProcessMissing', 'GatewayDueWorkWaits']);
    },
  },
  {
    name: 'alert-workers-die',
    fault: `a generation worker is killed every ${KILL_EVERY_MS / 1_000} s in the middle of its calls`,
    outcome: 'it is told that workers lose tasks',
    alerts: { fire: ['GatewayLeasesExpire'], may: SLOW_STARTS },
    restWithinMs: 40_000,
    run: async (scene) => {
      const wish = () => ({ prompt: 'sandbox:fixed sandbox:delay=1500' });
      const load = scene.load({ count: 1_000, perSecond: 8, keyed: 0, wish });
      await repeatUntilFiring(scene, ['GatewayLeasesExpire'], async () => {
        await untilRunning(scene, 6);
        scene.lab.fleet.process(scene.random.pick(['worker-1', 'worker-2'])).kill();
        scene.injected();
        await scene.sleep(KILL_EVERY_MS);
      });
      load.stop();
      await load.done;
    },
  },
  {
    name: 'alert-event-loop',
    fault: `the event loop of the webhook worker is blocked for ${BLOCK_MS} ms again and again`,
    outcome: 'it is told that its core is busy',
    alerts: { fire: ['GatewayEventLoopBlocked'] },
    run: async (scene) => {
      const worker = scene.lab.fleet.process('webhooks-1');
      const restart = async (env: Readonly<Record<string, string>>): Promise<void> => {
        worker.change({ env });
        await worker.terminate();
        worker.up();
        await scene.sleep(3_000);
      };
      await restart({ FAULTS_BLOCK_MS: String(BLOCK_MS) });
      try {
        await repeatUntilFiring(scene, ['GatewayEventLoopBlocked'], async () => {
          worker.block();
          scene.injected();
          await scene.sleep(BLOCK_MS + PAUSE_MS);
        });
      } finally {
        await restart({});
      }
    },
  },
];
