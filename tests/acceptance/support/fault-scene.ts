import { freePort } from './product/ports.js';
import { startProduct } from './product/product.js';
import { fastSettings } from './product/settings.js';
import { openScene } from './scene.js';
import { startReceiver } from './servers/receiver.js';

/** A gateway of its own with two generation workers, to which anything may be done. */
export type FaultScene = Awaited<ReturnType<typeof openFaultScene>>;

/** Starts it, with more arguments and settings if given; `close` audits the money, then stops everything. */
export async function openFaultScene({
  args = [],
  settings = {},
}: {
  readonly args?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
} = {}) {
  const receiver = await startReceiver(await freePort());
  const product = await startProduct({
    settings: {
      ...fastSettings,
      SHUTDOWN_GRACE_MS: '3000',
      TASK_DEADLINE_MS: '60000',
      OUTBOUND_ALLOW: `127.0.0.1:${receiver.port}`,
      ...settings,
    },
    args: ['--workers', '2', ...args],
  });
  const scene = await openScene(product);
  return {
    ...scene,
    product,
    receiver,
    async close() {
      try {
        await scene.audit();
      } finally {
        await product.discard();
        await receiver.close();
      }
    },
  };
}
