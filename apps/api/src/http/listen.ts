import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Shutdown } from '@image-gateway/shared/lifecycle';
import { gentleClose } from './close-server.js';

const QUIET_MS = 250;
const LINGER_MS = 2_000;

/** Starts to listen, returns the port, and registers the end: what is under way may finish. */
export async function listen(
  server: Server,
  options: { readonly host: string; readonly port: number; readonly shutdown: Shutdown },
): Promise<number> {
  const close = gentleClose(server, { quietMs: QUIET_MS, lingerMs: LINGER_MS });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, 1024, () => {
      server.off('error', reject);
      resolve();
    });
  });
  options.shutdown.register('intake', 'http server', close);
  // What is still under way when its time is over must not keep the process.
  options.shutdown.register('connections', 'http connections', () => server.closeAllConnections());
  return (server.address() as AddressInfo).port;
}
