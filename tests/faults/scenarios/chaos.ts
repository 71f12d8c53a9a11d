import { PROCESSES, SERVICES } from '../lab/start-fleet.js';
import type { Scenario, Scene } from './scenario.js';

/** Puts one random fault into the laboratory; returns the function that undoes it. */
function strike(scene: Scene): () => void {
  const { lab, random } = scene;
  const { fleet, services } = lab;
  const name = random.pick(PROCESSES);
  const service = random.pick(SERVICES);
  const restoreWire = (): void => fleet.wire(name, service).set({ kind: 'pass' });
  const acts: (() => () => void)[] = [
    () => {
      fleet.process(name).kill();
      return () => undefined;
    },
    () => {
      fleet.process(name).pause();
      return () => fleet.process(name).wake();
    },
    () => {
      fleet.wire(name, service).set({ kind: random.pick(['refuse', 'black-hole', 'reset'] as const) });
      return restoreWire;
    },
    () => {
      fleet.wire(name, service).set({ kind: 'delay', ms: random.int(10, 120) });
      return restoreWire;
    },
    () => {
      services.signal('redis', 'SIGSTOP');
      return () => services.signal('redis', 'SIGCONT');
    },
    () => {
      // An unreachable Redis has nothing to lose.
      services.redis('FLUSHALL').catch(() => undefined);
      return () => undefined;
    },
    () => {
      lab.liar.lie(
        random.pick(['half', 'stored-error', 'unavailable', 'swallow'] as const),
        random.int(1, 6),
      );
      return () => undefined;
    },
    () => {
      for (const one of PROCESSES) {
        fleet
          .wire(one, 'postgres')
          .cutOn(random.pick(['settle', 'insert', 'claim', 'add-output']), 'after', 2);
      }
      return () => undefined;
    },
  ];
  return random.pick(acts)();
}

/** Everything at once, drawn by the seed; `seconds` long. */
export const chaos = (number: number, seconds: number): Scenario => ({
  name: `chaos-${number}`,
  fault: `all of the above at random, several at a time, for ${seconds} s`,
  outcome: 'nothing lost, nothing charged twice',
  restWithinMs: 45_000,
  run: async (scene) => {
    const load = scene.load({ count: seconds * 25, perSecond: 25, concurrency: 24 });
    const until = Date.now() + seconds * 1_000;
    while (Date.now() < until) {
      const undo = strike(scene);
      scene.injected();
      const lastsMs = scene.random.int(300, 3_500);
      setTimeout(undo, lastsMs);
      await scene.sleep(scene.random.int(150, 700));
    }
    await scene.sleep(3_600);
    await load.done;
  },
});
