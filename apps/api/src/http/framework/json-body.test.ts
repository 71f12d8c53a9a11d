import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSemaphore } from '@image-gateway/shared/concurrency';
import { describe, expect, test } from '@jest/globals';
import express, { type Request, type Response } from 'express';
import { createHttpServer } from '../create-server.js';
import { createJsonReader } from './json-body.js';
import { setState } from './request-state.js';
import { createUnknownClients } from './unknown-clients.js';

/** Request whose body begins to come when it is read, and ends when `finish` is called. */
function createRequest(bytes: number) {
  const text = JSON.stringify('x'.repeat(bytes - 2));
  const source = new Readable({ read: () => undefined });
  const request = Object.assign(source, {
    headers: { 'content-type': 'application/json', 'content-length': String(bytes) },
    is: () => 'application/json',
  }) as unknown as Request;
  setState(request, { id: 'req', address: '192.0.2.1', startedAt: 0, logger: () => ({}) as never });
  const finish = (): void => {
    source.push(text);
    source.push(null);
  };
  return { request, finish };
}

describe('bodies under way', () => {
  test('bodies under way wait for the bytes of others when the budget is used up, and lose nothing', async () => {
    const readJson = createJsonReader({
      budget: createSemaphore({ permits: 1_000 }),
      unknownClients: createUnknownClients(),
    });
    const [first, second] = [createRequest(800), createRequest(800)];
    const reading = readJson(first.request, {} as Response, { isKnown: true });
    const waiting = readJson(second.request, {} as Response, { isKnown: true });
    await new Promise((resolve) => setImmediate(resolve));
    expect([first.request.listenerCount('data'), second.request.listenerCount('data')]).toEqual([1, 0]);
    first.finish();
    expect(await reading).toHaveLength(798);
    second.finish();
    expect(await waiting).toHaveLength(798);
  });

  test.each([
    ['before its body is read', false],
    ['while it waits for the budget', true],
  ])('bodies under way give their bytes back when the client leaves %s', async (_when, isWaiting) => {
    const readJson = createJsonReader({
      budget: createSemaphore({ permits: 1_000 }),
      unknownClients: createUnknownClients(),
    });
    const [first, gone, next] = [createRequest(800), createRequest(800), createRequest(800)];
    const before = isWaiting ? readJson(first.request, {} as Response, { isKnown: true }) : null;
    const leaves = async (): Promise<void> => {
      gone.request.destroy();
      await new Promise((resolve) => setImmediate(resolve));
    };
    if (!isWaiting) {
      await leaves();
    }
    const reading = readJson(gone.request, {} as Response, { isKnown: true });
    const refused = expect(reading).rejects.toThrow('the request was cut off');
    if (isWaiting) {
      await leaves();
      first.finish();
      await before;
    }
    await refused;
    const after = readJson(next.request, {} as Response, { isKnown: true });
    next.finish();
    expect(await after).toHaveLength(798);
  });
});

describe('a body that is in memory to its end', () => {
  test.each([300, 20_000])('of %i bytes is read, and the connection takes the next one', async (bytes) => {
    const readJson = createJsonReader({
      budget: createSemaphore({ permits: 1_000_000 }),
      unknownClients: createUnknownClients(),
    });
    const app = express();
    app.use(async (request, response) => {
      setState(request, { id: 'req', address: '192.0.2.1', startedAt: 0, logger: () => ({}) as never });
      // The body comes with its headers, and is there before anyone asks for it.
      await sleep(30);
      const isThere = request.complete;
      const body = (await readJson(request, response, { isKnown: true })) as string;
      response.json({ isThere, length: body.length, listeners: request.listenerCount('data') });
    });
    const server = createHttpServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    try {
      const text = JSON.stringify(`é${'x'.repeat(bytes - 4)}`);
      const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;
      for (let round = 0; round < 3; round++) {
        socket.write(head + text);
        const [answer] = (await once(socket, 'data')) as [Buffer];
        expect(answer.toString()).toContain(
          JSON.stringify({ isThere: true, length: bytes - 3, listeners: 0 }),
        );
      }
    } finally {
      socket.destroy();
      server.close();
    }
  });
});
