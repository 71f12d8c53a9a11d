import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pause, type Shutdown } from '@image-gateway/shared/lifecycle';

/** How long connections are still taken after the stop began, in milliseconds: those that the kernel has accepted for us get an answer instead of a reset. */
const LINGER_MS = 300;

/** Starts to listen, returns the port, and registers the end: what is under way may finish. */
export async function listen(
  server: Server,
  options: { readonly host: string; readonly port: number; readonly shutdown: Shutdown },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, 1024, () => {
      server.off('error', reject);
      resolve();
    });
  });
  options.shutdown.register('intake', 'http server', async (leftMs) => {
    await pause(Math.min(LINGER_MS, leftMs));
    await closed(server);
  });
  // What is still under way when its time is over must not keep the process.
  options.shutdown.register('connections', 'http connections', () => server.closeAllConnections());
  return (server.address() as AddressInfo).port;
}

async function closed(server: Server): Promise<void> {
  let open = true;
  server.close(() => {
    open = false;
  });
  while (open) {
    // A connection that was busy a moment ago may be idle now.
    server.closeIdleConnections();
    await pause(20);
  }
}
