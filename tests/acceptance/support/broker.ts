import { freePort } from './product/ports.js';
import { type OwnProduct, startProduct } from './product/product.js';
import { fastSettings } from './product/settings.js';
import { startServer } from './servers/start-server.js';

const receiverCount = 32;

/**
 * Opens the broker of the one gateway that plain test files share, on a free port of 127.0.0.1. GET /product starts the gateway when the
 * first of them asks; GET /port hands out an allowed port.
 */
export async function openBroker() {
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
  const server = await startServer((response, { path }) => {
    const answer = answers[path];
    if (answer === undefined) {
      return void response.writeHead(404).end();
    }
    answer().then(
      (value) => response.end(JSON.stringify(value)),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  return {
    url: server.url(''),
    async close() {
      await server.close();
      await (await starting)?.discard();
    },
  };
}
