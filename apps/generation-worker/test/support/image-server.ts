import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { drawImage } from './draw-image.js';

/** Server of images, some of which come only when it is told so. */
export interface ImageServer {
  /** For `OUTBOUND_ALLOW`. */
  readonly hostPort: string;
  /** URL of an image that is sent at once (`quick`) or not before `open` (`slow`). */
  readonly getUrl: (speed: 'quick' | 'slow', name: string) => string;
  /** URL with another host name that redirects to a URL. */
  readonly redirectTo: (url: string) => string;
  /** For `OUTBOUND_ALLOW`. */
  readonly redirectHostPort: string;
  /** Requests for a URL so far. */
  readonly hits: (url: string) => number;
  /** All requests so far. */
  readonly total: () => number;
  /** Requests that wait for `open` now. */
  readonly waiting: () => number;
  /** Largest number of requests that waited at a time. */
  readonly maxWaiting: () => number;
  /** Sends slow images from now on, and those that wait. */
  readonly open: () => void;
  /** Holds slow images back again, and counts anew how many wait. */
  readonly holdBack: () => void;
  readonly close: () => Promise<void>;
}

/** Starts an image server on a port of its own. */
export async function startImageServer(): Promise<ImageServer> {
  const bytes = await drawImage('#336699', { width: 80, height: 60 });
  const hits = new Map<string, number>();
  const held = new Set<ServerResponse>();
  let isOpen = false;
  let maxWaiting = 0;
  const server = createServer(({ url = '' }, response) => {
    if (url.startsWith('/to/')) {
      response.writeHead(302, { location: decodeURIComponent(url.slice('/to/'.length)) }).end();
      return;
    }
    hits.set(url, (hits.get(url) ?? 0) + 1);
    if (isOpen || url.startsWith('/quick')) {
      response.end(bytes);
      return;
    }
    held.add(response);
    maxWaiting = Math.max(maxWaiting, held.size);
    response.once('close', () => held.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const [hostPort, redirectHostPort] = [`127.0.0.1:${port}`, `localhost:${port}`];
  const base = `http://${hostPort}`;
  return {
    hostPort,
    getUrl: (speed, name) => `${base}/${speed}/${name}.png`,
    redirectTo: (url) => `http://${redirectHostPort}/to/${encodeURIComponent(url)}`,
    redirectHostPort,
    hits: (url) => hits.get(url.slice(base.length)) ?? 0,
    total: () => [...hits.values()].reduce((sum, count) => sum + count, 0),
    waiting: () => held.size,
    maxWaiting: () => maxWaiting,
    open: () => {
      isOpen = true;
      for (const response of held) {
        response.end(bytes);
      }
    },
    holdBack: () => {
      isOpen = false;
      maxWaiting = 0;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
