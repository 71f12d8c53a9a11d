import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { startReceiver } from '@image-gateway/testing';

/** Answers one request in its own way; `body` is what a good server would have answered. */
export type Fault = (outgoing: ServerResponse, body: string) => void;

const HUGE_BYTES = 200 * 1024 * 1024;
const DRIP_MS = 20;
const json = { 'content-type': 'application/json' };

/** Faults of servers and connections, by their effect on a response. */
export const FAULTS = {
  'reset before the answer': (outgoing) => outgoing.socket?.resetAndDestroy(),
  'reset in the middle of the body': (outgoing, body) => {
    outgoing.writeHead(200, { ...json, 'content-length': body.length + 10 });
    outgoing.write(body, () => outgoing.socket?.resetAndDestroy());
  },
  'an answer that drips': (outgoing) => {
    outgoing.writeHead(200, json);
    const drip = setInterval(() => outgoing.write(' '), DRIP_MS);
    outgoing.on('close', () => clearInterval(drip));
  },
  'no answer': () => undefined,
  'a body of 200 MB': (outgoing) => {
    outgoing.writeHead(200, { ...json, 'content-length': HUGE_BYTES });
    outgoing.write(Buffer.alloc(64 * 1024, ' '));
  },
  'a body of 200 MB that is not announced': (outgoing) => {
    outgoing.writeHead(200, json);
    const piece = Buffer.alloc(1024 * 1024, ' ');
    const more = (): void => {
      while (!outgoing.destroyed && outgoing.write(piece)) {}
      if (!outgoing.destroyed) {
        outgoing.once('drain', more);
      }
    };
    more();
  },
  HTML: (outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/html' });
    outgoing.end('<html>Sign in to the hotel</html>');
  },
  'nothing in a good answer': (outgoing) => outgoing.writeHead(200).end(),
  'a packed body that nobody asked for': (outgoing, body) => {
    outgoing.writeHead(200, { ...json, 'content-encoding': 'gzip' });
    outgoing.end(gzipSync(body));
  },
  'an endless redirect': (outgoing) => outgoing.writeHead(302, { location: outgoing.req.url ?? '/' }).end(),
  'another content type': (outgoing, body) => {
    outgoing.writeHead(200, { 'content-type': 'image/svg+xml' });
    outgoing.end(body);
  },
} as const satisfies Readonly<Record<string, Fault>>;

/** The name of a fault. */
export type FaultName = keyof typeof FAULTS;

/** A server that answers well but where it is told to misbehave. */
export type Hostile = Awaited<ReturnType<typeof startHostile>>;

/** Starts a server; `answer` says what is answered well to a request, and how it is spoilt, if at all. */
export async function startHostile(
  answer: (
    method: string,
    path: string,
    url: string,
  ) => { readonly body: unknown; readonly fault?: Fault | undefined },
) {
  /** Method and path of what was asked, with the key that came along. */
  const asked: (readonly [string, string | undefined])[] = [];
  const { url, close } = await startReceiver((outgoing, { method, path, headers }) => {
    asked.push([`${method} ${path}`, headers.authorization]);
    const { body, fault } = answer(method, path, url);
    const text = Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body);
    if (fault) {
      fault(outgoing, text);
    } else {
      outgoing.writeHead(200, json).end(text);
    }
  });
  return { url, asked, close };
}
