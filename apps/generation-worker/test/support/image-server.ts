import type { ServerResponse } from 'node:http';
import { startReceiver } from '@image-gateway/testing';
import { drawImage } from './draw-image.js';

/** Server of images, some of which come only when it is told so. */
export type ImageServer = Awaited<ReturnType<typeof startImageServer>>;

/** Starts an image server on a port of its own. */
export async function startImageServer() {
  const bytes = await drawImage('#336699', { width: 80, height: 60 });
  const hits = new Map<string, number>();
  const held = new Set<ServerResponse>();
  let isOpen = false;
  let maxWaiting = 0;
  const {
    port,
    hostPort,
    url: base,
    close,
  } = await startReceiver((response, { path }) => {
    if (path.startsWith('/to/')) {
      response.writeHead(302, { location: decodeURIComponent(path.slice('/to/'.length)) }).end();
      return;
    }
    hits.set(path, (hits.get(path) ?? 0) + 1);
    if (isOpen || path.startsWith('/quick')) {
      response.end(bytes);
      return;
    }
    held.add(response);
    maxWaiting = Math.max(maxWaiting, held.size);
    response.once('close', () => held.delete(response));
  });
  const redirectHostPort = `localhost:${port}`;
  return {
    /** For `OUTBOUND_ALLOW`, as `redirectHostPort` is. */
    hostPort,
    redirectHostPort,
    /** URL of an image that is sent at once (`quick`) or not before `open` (`slow`). */
    getUrl: (speed: 'quick' | 'slow', name: string) => `${base}/${speed}/${name}.png`,
    /** URL with another host name that redirects to a URL. */
    redirectTo: (url: string) => `http://${redirectHostPort}/to/${encodeURIComponent(url)}`,
    /** Requests for a URL so far. */
    hits: (url: string) => hits.get(url.slice(base.length)) ?? 0,
    /** All requests so far. */
    total: () => [...hits.values()].reduce((sum, count) => sum + count, 0),
    /** Requests that wait for `open` now. */
    waiting: () => held.size,
    /** Largest number of requests that waited at a time. */
    maxWaiting: () => maxWaiting,
    /** Sends slow images from now on, and those that wait. */
    open: () => {
      isOpen = true;
      for (const response of held) {
        response.end(bytes);
      }
    },
    /** Holds slow images back again, and counts anew how many wait. */
    holdBack: () => {
      isOpen = false;
      maxWaiting = 0;
    },
    close,
  };
}
