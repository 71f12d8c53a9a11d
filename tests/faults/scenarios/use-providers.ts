import type { Laboratory } from '../lab/start-laboratory.js';

const inUse = new WeakMap<Laboratory, string>();

/** Makes the generation workers use the sandbox provider, or the stub upstreams in an order; starts them anew when that is a change. */
export async function useProviders(lab: Laboratory, which: string): Promise<void> {
  if ((inUse.get(lab) ?? 'sandbox') === which) return;
  inUse.set(lab, which);
  const env = which === 'sandbox' ? {} : { ...lab.upstreamSettings, PROVIDERS: which };
  for (const name of ['worker-1', 'worker-2'] as const) {
    const worker = lab.fleet.process(name);
    worker.change({ env });
    await worker.terminate();
    worker.up();
  }
}
