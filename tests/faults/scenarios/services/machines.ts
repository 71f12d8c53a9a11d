import { existsSync } from 'node:fs';
import type { ProcessName } from '../../lab/start-fleet.js';
import { untilReady } from '../../lab/start-laboratory.js';
import type { Scenario, Scene } from '../scenario.js';
import { readSums } from '../support/read-sums.js';

const MINUTES = 60_000;
const SHIFTS: readonly (readonly [ProcessName, number])[] = [
  ['api-2', 9 * MINUTES],
  ['worker-1', 10 * MINUTES],
  ['worker-2', -10 * MINUTES],
  ['webhooks-1', -8 * MINUTES],
];

/** Starts a process anew with other settings. */
async function changeTo(
  scene: Scene,
  name: ProcessName,
  change: { readonly env?: Readonly<Record<string, string>>; readonly logTo?: string },
): Promise<void> {
  const process = scene.lab.fleet.process(name);
  process.change(change);
  await process.terminate();
  process.up();
}

/** Runs something with processes that were started anew with changes, and puts them back afterwards. */
async function withChanges(
  scene: Scene,
  changes: readonly (readonly [ProcessName, Parameters<typeof changeTo>[2]])[],
  action: () => Promise<void>,
): Promise<void> {
  try {
    for (const [name, change] of changes) {
      await changeTo(scene, name, change);
      scene.injected();
    }
    await untilReady(scene.lab.fleet);
    await action();
  } finally {
    for (const [name] of changes) {
      await changeTo(scene, name, {});
    }
  }
}

/** Clocks that are wrong and a disk for logs that is full. */
export const machineScenarios: readonly Scenario[] = [
  {
    name: 'clocks-wrong',
    fault: 'the clocks of an API, both generation workers and the webhook worker wrong by 8 to 10 minutes',
    outcome: 'no try burnt, one call a task; webhooks carry the right time',
    run: async (scene) => {
      const changes = SHIFTS.map(
        ([name, ms]) => [name, { env: { FAULTS_CLOCK_SHIFT_MS: String(ms) } }] as const,
      );
      const begun = scene.lab.receiver.hooks().length;
      const wish = () => ({ prompt: `sandbox:fixed sandbox:delay=${scene.random.int(0, 2_600)}` });
      await withChanges(scene, changes, async () => {
        await scene.load({ count: 200, perSecond: 40, concurrency: 30, wish, hook: () => 'ok' }).done;
        const { tries, calls, tasks } = await readSums(scene);
        scene.must(tries === 0, `${tries} tries were burnt by wrong clocks`);
        scene.must(calls === tasks, `${calls} calls for ${tasks} tasks`);
        await scene.sleep(800);
      });
      const wrong = scene.lab.receiver
        .hooks()
        .slice(begun)
        .filter(({ timestamp, at }) => Math.abs(Number(timestamp) - at / 1_000) > 30);
      scene.must(wrong.length === 0, `${wrong.length} webhooks carry a wrong time`);
    },
  },
  {
    name: 'log-disk-full',
    fault: 'the log of an API and of a generation worker on a full disk',
    outcome: 'they go on working',
    run: async (scene) => {
      const full = '/dev/full';
      if (!existsSync(full)) {
        return scene.figure('left out: no /dev/full here', 1);
      }
      const names = ['api-1', 'worker-1'] as const;
      const deaths = (): number =>
        names.reduce((sum, name) => sum + scene.lab.fleet.process(name).deaths(), 0);
      const before = deaths();
      const changes = names.map((name) => [name, { logTo: full }] as const);
      await withChanges(scene, changes, async () => {
        await scene.load({ count: 150, perSecond: 40 }).done;
      });
      scene.must(deaths() === before, `${deaths() - before} processes died of a log that cannot be written`);
    },
  },
];
