import type { ServerResponse } from 'node:http';
import type { StubMode } from './behaviour.js';
import type { StubResponse } from './call.js';

const HUGE_BYTES = 200 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;
const DRIP_MS = 1_000;

interface Written {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

type Send = (response: ServerResponse, written: Written) => void;

const reset: Send = (response) => response.socket?.resetAndDestroy();

const FAULTS: Readonly<Partial<Record<StubMode, Send>>> = {
  hang: () => undefined,
  down: reset,
  'lost-answer': reset,
  html: (response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=UTF-8' });
    response.end('<!DOCTYPE html><html lang="en"><title>Sign in</title><p>Please sign in.</p></html>');
  },
  empty: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
  redirect: (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  truncated: (response, { status, headers, bytes }) => {
    response.writeHead(status, { ...headers, 'content-length': bytes.length });
    response.write(bytes.subarray(0, bytes.length / 2), () => response.socket?.resetAndDestroy());
  },
  drip: (response, { status, headers, bytes }) => {
    response.writeHead(status, { ...headers, 'content-length': bytes.length });
    drip(response, bytes);
  },
  huge: (response, { status, headers, bytes }) => {
    response.writeHead(status, headers);
    flood(response, bytes);
  },
};

const sendWell: Send = (response, { status, headers, bytes }) =>
  response.writeHead(status, { ...headers, 'content-length': bytes.length }).end(bytes);

/** Sends an answer, or what a fault of the wire makes of it. */
export function sendResponse(response: ServerResponse, answer: StubResponse, mode: StubMode): void {
  if (!response.destroyed) {
    (FAULTS[mode] ?? sendWell)(response, written(answer));
  }
}

function written({ status, headers = {}, body }: StubResponse): Written {
  if (body === null) {
    return { status, headers, bytes: Buffer.alloc(0) };
  }
  if (Buffer.isBuffer(body)) {
    return { status, headers, bytes: body };
  }
  return {
    status,
    headers: { 'content-type': 'application/json; charset=UTF-8', ...headers },
    bytes: Buffer.from(JSON.stringify(body)),
  };
}

function drip(response: ServerResponse, bytes: Buffer): void {
  let at = 0;
  const timer = setInterval(() => {
    response.write(bytes.subarray(at, at + 1));
    at += 1;
    if (at >= bytes.length) {
      response.end();
    }
  }, DRIP_MS);
  response.once('close', () => clearInterval(timer));
}

/** The answer, and then blanks: JSON stays good JSON, so that only its size is wrong. */
function flood(response: ServerResponse, bytes: Buffer): void {
  const blanks = Buffer.alloc(PIECE_BYTES, ' ');
  let left = HUGE_BYTES;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= PIECE_BYTES;
      if (!response.write(blanks)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  response.write(bytes);
  more();
}
