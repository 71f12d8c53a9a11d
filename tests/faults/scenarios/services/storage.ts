import { spawnSync } from 'node:child_process';
import type { LieKind } from '../../lab/start-store-liar.js';
import type { Scenario, Scene } from '../scenario.js';
import { readSums } from '../support/read-sums.js';

const lie = (kind: LieKind, fault: string, outcome: string): Scenario => ({
  name: `storage-${kind}`,
  fault,
  outcome,
  run: async (scene) => {
    const load = scene.load({ count: 200, perSecond: 40, wish: bothSizes(scene) });
    for (let n = 0; n < 5; n += 1) {
      scene.lab.liar.lie(kind, 8, 1_500);
      await scene.sleep(900);
      scene.injected(scene.lab.liar.lies());
    }
    scene.lab.liar.lie('pass');
    await load.done;
    await mustBuyNothingTwice(scene);
  },
});

const bothSizes = (scene: Scene) => () => ({
  prompt: `sandbox:fixed sandbox:delay=${scene.random.int(0, 200)}`,
  num_outputs: scene.random.pick([1, 1, 1, 3]),
});

/** Requires that a fault of our own storage burns no try and buys no image a second time. */
async function mustBuyNothingTwice(scene: Scene): Promise<void> {
  const { tries, asked, images } = await readSums(scene);
  scene.must(tries === 0, `${tries} tries were burnt by our own storage`);
  scene.must(asked === images, `${asked} images were asked for and ${images} stored`);
}

const away = (name: string, fault: string, begin: (scene: Scene) => void, ms: number): Scenario => ({
  name,
  fault,
  outcome: 'tasks wait and complete, no try burnt, no image bought twice',
  restWithinMs: 30_000,
  run: async (scene) => {
    const load = scene.load({ count: 200, perSecond: 40, wish: bothSizes(scene) });
    await scene.sleep(1_000);
    begin(scene);
    scene.injected();
    await scene.sleep(ms);
    scene.lab.fleet.setWires('s3', { kind: 'pass' });
    scene.lab.services.signal('s3', 'SIGCONT');
    await load.done;
    await mustBuyNothingTwice(scene);
  },
});

/** The object store away, slow, full, and lying. */
export const storageScenarios: readonly Scenario[] = [
  lie('unavailable', 'the object store answers 503', 'tasks wait and complete'),
  lie('slow', 'puts take 1.5 s longer', 'slower, and nothing else'),
  lie('half', 'half of the bytes stored and an error answered', 'the image is put once more, whole'),
  lie('stored-error', 'all bytes stored and an error answered', 'what stands there is used'),
  lie(
    'swallow',
    'success answered and nothing stored',
    'noticed before the row is written; the image is put once more',
  ),
  away(
    'storage-killed',
    'kill -9 of the object store',
    ({ lab }) => lab.services.signal('s3', 'SIGKILL'),
    1_500,
  ),
  away(
    'storage-away',
    'the object store refuses connections for 5 s',
    ({ lab }) => lab.fleet.setWires('s3', { kind: 'refuse' }),
    5_000,
  ),
  away(
    'storage-silent',
    'the object store answers nobody for 5 s',
    ({ lab }) => lab.services.signal('s3', 'SIGSTOP'),
    5_000,
  ),
  {
    name: 'storage-cut',
    fault: 'connections to the object store cut after a few bytes of its answers, then throttle',
    outcome: 'tasks complete, no image bought twice',
    restWithinMs: 30_000,
    run: async (scene) => {
      const load = scene.load({ count: 160, perSecond: 40, wish: bothSizes(scene) });
      for (let n = 0; n < 6; n += 1) {
        scene.lab.fleet.setWires('s3', { kind: 'cut', afterBytes: scene.random.int(20, 400) });
        scene.injected();
        await scene.sleep(400);
        scene.lab.fleet.setWires('s3', { kind: 'throttle', bytesPerSecond: 60_000 });
        scene.injected();
        await scene.sleep(400);
      }
      scene.lab.fleet.setWires('s3', { kind: 'pass' });
      await load.done;
      await mustBuyNothingTwice(scene);
    },
  },
  {
    name: 'storage-past-deadline',
    fault: 'the object store away until after the deadline of every task',
    outcome: 'failed at $0.00, holds released',
    run: async (scene) => {
      scene.lab.fleet.setWires('s3', { kind: 'refuse' });
      scene.injected();
      await scene.load({ count: 60, wish: () => ({ prompt: 'sandbox:fixed' }) }).done;
      const { pool } = scene.lab.services.database;
      const { rows } = await pool.query<{ id: string }>(
        "SELECT id FROM tasks WHERE account_id = $1 AND status = 'pending'",
        [scene.customer.id],
      );
      const soon =
        "UPDATE tasks SET deadline_at = now() + interval '2 s' WHERE id = $1 AND status = 'pending'";
      for (const { id } of rows) {
        await pool.query(soon, [id]);
      }
      const { images } = await readSums(scene);
      scene.must(images === 0, `${images} images were stored without a store`);
    },
  },
  {
    name: 'storage-disk-full',
    fault: "the object store's disk is full (its process may write no file of more than 64 bytes) for 4 s",
    outcome: 'tasks wait and complete when there is room, no image bought twice',
    restWithinMs: 30_000,
    run: async (scene) => {
      const pid = String(scene.lab.services.getPid('s3'));
      const limit = (size: string): boolean =>
        spawnSync('prlimit', ['--pid', pid, `--fsize=${size}:unlimited`]).status === 0;
      const load = scene.load({ count: 160, perSecond: 35, wish: bothSizes(scene) });
      await scene.sleep(700);
      if (limit('64')) {
        scene.injected();
      } else {
        scene.figure('left out: no prlimit here', 1);
      }
      await scene.sleep(4_000);
      limit('unlimited');
      await load.done;
      await mustBuyNothingTwice(scene);
    },
  },
];
