import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type RequestState, setState } from './framework/request-state.js';
import { limitBodies } from './limit-bodies.js';

let server: Server;
afterEach(() => void server.close());

/** Starts a server that expects uploads, or no long bodies, and answers 200 at the end of each. */
async function start(upload: RequestState['upload']): Promise<number> {
  server = createServer((message: IncomingMessage, response) => {
    const state = { id: 'req', startedAt: 0, logger: () => undefined } as unknown as RequestState;
    setState(message, { ...state, ...(upload && { upload }) });
    message.on('error', () => undefined);
    message.resume().on('end', () => response.end());
  });
  limitBodies(server, (socket) => socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'), {
    periodMs: 200,
    minBytesPerSecond: 1_000,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Sends so many bytes every 40 ms for 700 ms; resolves with the status of the answer. */
async function drip(port: number, bytes: number): Promise<number> {
  const sending = request({ port, host: '127.0.0.1', method: 'POST' });
  const status = new Promise<number>((resolve) => {
    sending.on('response', (response) => resolve(response.resume().statusCode ?? 0));
    sending.on('error', () => resolve(0));
  });
  for (let at = 0; at < 700 && sending.writable; at += 40) {
    sending.write(Buffer.alloc(bytes));
    await sleep(40);
  }
  sending.end();
  return status;
}

describe('slow bodies', () => {
  test('a body that takes longer than its time is refused', async () => {
    expect(await drip(await start(undefined), 1_000)).toBe(400);
  });

  test('an upload that brings the least rate lives, a slower one does not', async () => {
    const port = await start({ isPaused: false });
    expect(await Promise.all([drip(port, 200), drip(port, 1)])).toEqual([200, 400]);
  });

  test('an upload that waits for the gateway is not slow', async () => {
    expect(await drip(await start({ isPaused: true }), 1)).toBe(200);
  });
});
