import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from '@prometheus-io/client';
import { explainListenError } from '../lifecycle/index.js';

/** A running metrics endpoint. */
export interface MetricsServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Serves `GET /metrics` in the Prometheus text format, and 404 for all else, on a port of its own (0: any free one). */
export async function startMetricsServer(options: {
  readonly registry: Registry;
  readonly port: number;
  readonly host: string;
}): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('metrics are at /metrics\n');
      return;
    }
    options.registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': options.registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(explainListenError(error, { ...options, setting: 'METRICS_PORT' })),
    );
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
