import type { Laboratory } from '../../lab/start-laboratory.js';

const inUse = new WeakMap<Laboratory, string>();

/** Makes the generation workers use the sandbox provider, or the stub upstreams in an order. Their restart clears cached provider state. */
export async function useProviders(lab: Laboratory, which: string): Promise<void> {
  if (which === 'sandbox' && (inUse.get(lab) ?? which) === which) {
    return;
  }
  inUse.set(lab, which);
  const env = which === 'sandbox' ? {} : { ...lab.upstreamSettings, PROVIDERS: which };
  const restart = async (name: 'worker-1' | 'worker-2'): Promise<void> => {
    const worker = lab.fleet.process(name);
    worker.change({ env });
    await worker.terminate();
    worker.up();
  };
  await Promise.all([restart('worker-1'), restart('worker-2')]);
}
