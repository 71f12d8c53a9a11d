import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
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
  const refuse = (socket: Socket) => void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  server.on('request', limitBodies(refuse, { periodMs: 200, minBytesPerSecond: 1_000 }));
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

  test('a small body that does not come to its end is refused, and one that came with its headers is not watched', async () => {
    const socket = net.connect(await start(undefined), '127.0.0.1');
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n';
    socket.write(`${head}0123456789`);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200/);
    await sleep(500);
    const begun = performance.now();
    socket.write(`${head}01234`);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 400/);
    expect(performance.now() - begun).toBeGreaterThan(150);
    socket.destroy();
  });

  test('an upload that brings the least rate lives, a slower one does not', async () => {
    const port = await start({ isPaused: false });
    expect(await Promise.all([drip(port, 200), drip(port, 1)])).toEqual([200, 400]);
  });

  test('an upload that waits for the gateway is not slow', async () => {
    expect(await drip(await start({ isPaused: true }), 1)).toBe(200);
  });
});

/** Sends the start of a body of 4 MB to a server whose handler does not read; returns both ends of the connection. */
async function leaveUnread(answer: string): Promise<{ readonly client: Socket; readonly served: Socket }> {
  server = createServer((_request, response) => {
    response.setHeader('Connection', 'close');
    answer && response.end(answer);
  });
  const limits = { periodMs: 60_000, minBytesPerSecond: 1_000 };
  server.on(
    'request',
    limitBodies((socket) => socket.destroy(), limits),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n');
  client.write(Buffer.alloc(3_000_000));
  return { client, served: await accepted };
}

describe('large bodies', () => {
  test('of a large body that no handler reads yet, no more is in memory than one read of the connection', async () => {
    const { client, served } = await leaveUnread('');
    await sleep(300);
    expect(served.bytesRead).toBeGreaterThan(0);
    expect(served.bytesRead).toBeLessThanOrEqual(64 * 1024);
    client.destroy();
    served.destroy();
  });

  test('a request that was answered before the end of its body leaves nothing behind once its connection is gone', async () => {
    const countTimers = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
    const before = countTimers();
    const { client, served } = await leaveUnread('no');
    await once(client, 'data');
    client.destroy();
    await sleep(300);
    expect(served.destroyed).toBe(true);
    expect(countTimers()).toBeLessThanOrEqual(before);
  });
});
