import { SERVICES } from '../../lab/start-fleet.js';
import { type Laboratory, untilReady } from '../../lab/start-laboratory.js';

/** Makes everything well again, whatever a scenario has done, and waits until the APIs are ready. */
export async function heal(lab: Laboratory): Promise<void> {
  for (const service of SERVICES) {
    lab.services.signal(service, 'SIGCONT');
    lab.fleet.setWires(service, { kind: 'pass' });
  }
  lab.upstreamWire.set({ kind: 'pass' });
  lab.upstreams.behaveWell();
  lab.liar.lie('pass');
  for (const one of lab.fleet.all()) {
    one.wake();
    one.up();
  }
  await untilReady(lab.fleet);
}
