import http from 'node:http';
import https from 'node:https';
import { createObjectStore } from '@image-gateway/shared/storage';
import { listen } from '@image-gateway/testing';

/** A stub of an object store, with the adapter on it. */
export type Stub = Awaited<ReturnType<typeof startStub>>;

/** Object store whose responses a test sets; the bodies of requests are read before. */
export async function startStub(
  answer: (request: http.IncomingMessage, response: http.ServerResponse) => void,
  {
    timeoutMs = 400,
    tls,
  }: {
    readonly timeoutMs?: number;
    /** Certificate and key of a store over TLS. */
    readonly tls?: { readonly cert: Buffer; readonly key: Buffer };
  } = {},
) {
  const requests: http.IncomingMessage[] = [];
  const listener: http.RequestListener = (request, response) => {
    requests.push(request);
    request.resume().once('end', () => answer(request, response));
  };
  const server = tls ? https.createServer(tls, listener) : http.createServer(listener);
  const { hostPort, connections, open, close } = await listen(server);
  const settings = {
    endpoint: `${tls ? 'https' : 'http'}://${hostPort}`,
    region: 'eu-test-1',
    bucket: 'images',
    accessKey: 'access',
    secretKey: 'secret-secret',
    timeoutMs,
  };
  const store = createObjectStore(settings);
  return {
    settings,
    store,
    requests,
    /** Connections made so far, and those open now. */
    connections: () => ({ made: connections(), open: open() }),
    close() {
      store.close();
      return close();
    },
  };
}
