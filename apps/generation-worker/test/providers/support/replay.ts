import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '@image-gateway/testing';
import { compareRequest, type Difference, type SeenRequest } from './compare-request.js';
import type { Exchange, WireResponse } from './fixture.js';

/** A server that answers as a provider did, in order. */
export interface Replay {
  /** Its origin, without a trailing slash. */
  readonly url: string;
  /** Requests that arrived, in order. */
  readonly requests: readonly SeenRequest[];
  /**
   * Compares the requests with the exchanges and returns one sentence for each fault. The list is empty when all requests came
   * as recorded, in order, but for the named differences, with none missing or left over.
   */
  readonly faults: (differences?: readonly Difference[]) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

/** Starts a server that gives the exchanges' answers in order; the providers' hosts in them become its own. */
export async function startReplay(exchanges: readonly Exchange[]): Promise<Replay> {
  const requests: SeenRequest[] = [];
  const hosts = new Set(exchanges.map(({ request }) => new URL(request.url).origin));
  let url = '';
  const toOwn = (text: string): string => {
    let own = text;
    for (const host of hosts) {
      own = own.replaceAll(host, url);
    }
    return own;
  };

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const number = requests.length;
    const asked = new URL(incoming.url ?? '/', url);
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    );
    const seen = {
      method: incoming.method ?? '',
      path: asked.pathname,
      query: Object.fromEntries(asked.searchParams),
    };
    // The place is taken before the body has arrived, so that calls at the same time keep their order.
    requests.push({ ...seen, headers, body: buffer(incoming) });
    await requests[number]?.body;
    const response = exchanges[number]?.response ?? { status: 599, bodyText: 'not a part of this case' };
    if (response.fault) {
      return;
    }
    const names = Object.entries(response.headers ?? {}).map(([name, value]) => [name, toOwn(value)]);
    outgoing.writeHead(response.status ?? 200, Object.fromEntries(names));
    outgoing.end(decodeBytes(response, toOwn));
  };

  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => outgoing.destroy(error as Error));
  });
  const { close, ...listening } = await listen(server);
  url = listening.url;
  return {
    url,
    requests,
    faults: async (differences = []) => {
      const found = await Promise.all(
        exchanges.map(({ request }, index) => compareRequest(request, requests[index], index, differences)),
      );
      const surplus = requests.slice(exchanges.length);
      return [...found.flat(), ...surplus.map(({ method, path }) => `too much: ${method} ${path}`)];
    },
    close,
  };
}

function decodeBytes({ body, bodyText, bodyBase64 }: WireResponse, toOwn: (text: string) => string): Buffer {
  if (bodyBase64 !== undefined) {
    return Buffer.from(bodyBase64, 'base64');
  }
  if (bodyText !== undefined) {
    return Buffer.from(bodyText);
  }
  return body === undefined ? Buffer.alloc(0) : Buffer.from(toOwn(JSON.stringify(body)));
}
