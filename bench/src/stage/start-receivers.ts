import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Two receivers: one takes webhooks at once, the other one never answers anything. */
export interface Receivers {
  /** `host:port` of both. */
  readonly hosts: readonly string[];
  readonly url: string;
  readonly silentUrl: string;
  /** Settles when the webhook of a task has come to `url`. */
  readonly awaitWebhook: (taskId: string) => Promise<void>;
  readonly close: () => void;
}

/** Starts both receivers on free ports of this machine. */
export async function startReceivers(): Promise<Receivers> {
  const arrived = new Set<string>();
  const waiting = new Map<string, () => void>();
  const good = await listen((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(parts).toString()) as { data: { id: string } };
      arrived.add(data.id);
      waiting.get(data.id)?.();
      response.writeHead(204).end();
    });
  });
  const silent = await listen((request) => void request.resume());
  const getHost = (server: Server): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    hosts: [getHost(good), getHost(silent)],
    url: `http://${getHost(good)}/hook`,
    silentUrl: `http://${getHost(silent)}`,
    awaitWebhook: (taskId) =>
      new Promise((resolve) => {
        if (arrived.has(taskId)) {
          resolve();
        } else {
          waiting.set(taskId, resolve);
        }
      }),
    close: () => {
      for (const server of [good, silent]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, '127.0.0.1', 1_024);
  await once(server, 'listening');
  return server;
}
