import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from './product/ports.js';
import { type OwnProduct, startProduct } from './product/product.js';
import { fastSettings } from './product/settings.js';

/** Serves the one gateway that plain test files share; nothing starts before the first of them asks. */
export interface Broker {
  url: string;
  close(): Promise<void>;
}

const receiverCount = 32;

/** Opens the broker on a free port of 127.0.0.1: GET /product starts the gateway once, GET /port hands out an allowed port. */
export async function openBroker(): Promise<Broker> {
  let starting: Promise<OwnProduct> | undefined;
  const ports = new Set<number>();
  while (ports.size < receiverCount) {
    ports.add(await freePort());
  }
  const unused = [...ports];
  const allowed = unused.map((port) => `127.0.0.1:${port}`).join();
  const settings = {
    ...fastSettings,
    OUTBOUND_ALLOW: allowed,
    ENABLED_MODELS: 'nanobanana,nanobanana-pro',
    TRUST_PROXY: 'loopback',
  };
  const answers: Record<string, () => Promise<unknown>> = {
    '/product': async () => {
      starting ??= startProduct({ settings });
      const product = await starting;
      return { dataDir: product.dataDir, settings: product.settings };
    },
    '/port': async () => unused.pop(),
  };
  const server = http.createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    if (answer === undefined) {
      return void response.writeHead(404).end();
    }
    answer().then(
      (value) => response.end(JSON.stringify(value)),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await (await starting)?.discard();
    },
  };
}
