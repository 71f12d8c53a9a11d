import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Shutdown } from '@image-gateway/shared/lifecycle';

/** Starts to listen, returns the port, and registers the end: no new connections, what runs may finish. */
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
  options.shutdown.register('intake', 'http server', () => closed(server));
  return (server.address() as AddressInfo).port;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
