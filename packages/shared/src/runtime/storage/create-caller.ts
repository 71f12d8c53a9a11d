import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { Client } from 'minio';
import { TIMED_OUT, withTimeout } from '../concurrency/index.js';
import { createSocketReader } from '../net/index.js';
import { createKeyFinder, type KeySettings, type Send, signRequests } from './sign-requests.js';
import { errorCode, StorageError, toStorageError } from './storage-error.js';

/** Address and credentials of the object store. */
export interface CallerSettings extends KeySettings {
  /** `http://host:port` or `https://host`, without a path. */
  readonly endpoint: string;
  readonly region: string;
  readonly timeoutMs: number;
}

/** Request and response of a call so far. */
export interface Seen {
  request?: http.ClientRequest;
  response?: http.IncomingMessage;
}

/** Time limit and connections of one call. */
export interface CallOptions {
  readonly timeoutMs?: number;
  /** Uses the connections for downloads, whose bodies outlive the call. */
  readonly download?: boolean;
}

/** Runs one piece of work against the server, with a client of its own, within the time limit. */
export type Call = <R>(
  what: string,
  work: (client: Client, seen: Seen) => Promise<R>,
  options?: CallOptions,
) => Promise<R>;

/** Client and name of the bucket, which every operation uses. */
export interface BucketDependencies {
  readonly call: Call;
  readonly bucket: string;
  readonly timeoutMs: number;
}

/** Idle connections end before the usual 5 s of Node servers, so that few requests meet a connection just closed. */
const IDLE_MS = 4_000;
const READ_BYTES = 64 * 1024;
const GIB = 1024 ** 3;

/**
 * Creates `call`. The connections are shared and kept open. The client is created per call because it can carry neither
 * a time limit nor the response. Throws a TypeError for an endpoint that is no URL.
 */
export function createCaller(settings: CallerSettings): { call: Call; close(): void } {
  const url = new URL(settings.endpoint);
  const secure = url.protocol === 'https:';
  // Slow readers of downloads must not keep a put or the health check waiting for a connection.
  const calls = createAgent(secure, 64);
  const downloads = createAgent(secure, 256);

  const findKeys = createKeyFinder(settings);
  const clientFor = (send: Send, { download }: CallOptions): Client =>
    new Client({
      endPoint: url.hostname.replace(/^\[|\]$/g, ''),
      ...(url.port === '' ? {} : { port: Number(url.port) }),
      useSSL: secure,
      region: settings.region,
      // Without keys it signs nothing: it would derive the signing key anew for each request, a tenth of a worker's CPU.
      accessKey: '',
      secretKey: '',
      // One put is one request: only a whole object can be stored on a condition.
      partSize: 5 * GIB,
      // Its own retries print to the console and leave the refused answer unread, which holds the connection for ever.
      retryOptions: { disableRetry: true },
      transport: { request: send },
      transportAgent: download ? downloads : calls,
    });

  const call: Call = async (what, work, options = {}) => {
    const timeoutMs = options.timeoutMs ?? settings.timeoutMs;
    const controller = new AbortController();
    let seen: Seen = {};
    const attempt = async (isRetry: boolean): ReturnType<typeof work> => {
      seen = {};
      try {
        const keys = await findKeys();
        const send = watchedRequest((secure ? https : http).request, controller.signal, seen);
        const client = clientFor(keys ? signRequests(send, settings.region, keys) : send, options);
        return await work(client, seen);
      } catch (error) {
        endRequest(seen);
        if (!controller.signal.aborted && !isRetry && isClosedWhileIdle(error, seen)) {
          return attempt(true);
        }
        const sent = seen.request !== undefined;
        throw toStorageError(error, { what, status: seen.response?.statusCode, sent });
      }
    };
    const result = await withTimeout(timeoutMs, attempt(false));
    if (result !== TIMED_OUT) {
      return result;
    }
    controller.abort();
    endRequest(seen);
    throw new StorageError({ fault: 'timeout', message: `${what}: no answer within ${timeoutMs} ms` });
  };

  return {
    call,
    close() {
      calls.destroy();
      downloads.destroy();
    },
  };
}

/** Creates an agent that keeps its connections open, each of which reads into memory of its own. */
function createAgent(secure: boolean, maxSockets: number): http.Agent {
  const agent = new (secure ? https.Agent : http.Agent)({ keepAlive: true, maxSockets, timeout: IDLE_MS });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, onCreated) => {
    const passOn = (bytes: Buffer): boolean => {
      // The HTTP parser copies what it keeps.
      socket.emit('data', bytes);
      return true;
    };
    const own = { onread: createSocketReader(READ_BYTES, passOn) };
    const socket = connect({ ...options, ...own }, onCreated) as Socket;
    return socket;
  };
  return agent;
}

/** `http.request` that ends with the signal and notes what it sees. */
function watchedRequest(request: Send, signal: AbortSignal, seen: Seen): Send {
  const watched = (options: http.RequestOptions, onResponse: (response: http.IncomingMessage) => void) => {
    seen.request = request({ ...options, signal }, (response) => {
      seen.response = response;
      onResponse(response);
    });
    return seen.request;
  };
  return watched as Send;
}

/**
 * Destroys a request that was not sent to its end, or whose response was not read to its end. It would keep its connection, and
 * go on reading its body.
 */
function endRequest({ request, response }: Seen): void {
  if (response?.readableEnded !== true || request?.writableFinished !== true) {
    request?.destroy();
  }
}

/** The server may close a kept connection at the very moment it is used again: that alone is worth a second try. */
function isClosedWhileIdle(error: unknown, seen: Seen): boolean {
  if (seen.response !== undefined || seen.request?.reusedSocket !== true) {
    return false;
  }
  return ['ECONNRESET', 'EPIPE'].includes(errorCode(error) ?? '');
}
