import type { ServerResponse } from 'node:http';
import type { StubMode } from './behaviour.js';
import type { StubAnswer } from './protocol.js';

const HUGE_BYTES = 200 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;
const DRIP_MS = 1_000;

/** Sends an answer, or what a fault of the wire makes of it. */
export function sendAnswer(response: ServerResponse, answer: StubAnswer, mode: StubMode): void {
  if (response.destroyed) return;
  const { status, headers, bytes } = written(answer);
  switch (mode) {
    case 'hang':
      return;
    case 'down':
    case 'lost-answer':
      response.socket?.resetAndDestroy();
      return;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html; charset=UTF-8' });
      response.end('<!DOCTYPE html><html lang="en"><title>Sign in</title><p>Please sign in.</p></html>');
      return;
    case 'empty':
      response.writeHead(200, { 'content-type': 'application/json' }).end();
      return;
    case 'redirect':
      response.writeHead(302, { location: '/elsewhere' }).end();
      return;
    case 'truncated':
      response.writeHead(status, { ...headers, 'content-length': bytes.length });
      response.write(bytes.subarray(0, bytes.length / 2), () => response.socket?.resetAndDestroy());
      return;
    case 'drip':
      response.writeHead(status, { ...headers, 'content-length': bytes.length });
      drip(response, bytes);
      return;
    case 'huge':
      response.writeHead(status, headers);
      flood(response, bytes);
      return;
    default:
      response.writeHead(status, { ...headers, 'content-length': bytes.length }).end(bytes);
  }
}

function written({ status, headers = {}, body }: StubAnswer): {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
} {
  if (body === null) return { status, headers: { ...headers }, bytes: Buffer.alloc(0) };
  if (Buffer.isBuffer(body)) return { status, headers: { ...headers }, bytes: body };
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
    if (at >= bytes.length) response.end();
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
