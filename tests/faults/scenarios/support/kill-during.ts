import type { ProcessName } from '../../lab/start-fleet.js';
import type { Scene } from '../scenario.js';

/** Kills one of some processes, so many times, each after a pause of up to `everyMs`. */
export async function killDuring(
  scene: Scene,
  names: readonly ProcessName[],
  times: number,
  everyMs: number,
): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    await scene.sleep(scene.random.int(everyMs / 2, everyMs));
    scene.lab.fleet.process(scene.random.pick(names)).kill();
    scene.injected();
  }
}
