import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventually } from '@image-gateway/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createHttpServer } from '../create-server.js';

const HEAD = 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n';
const READ_BYTES = 64 * 1024;

let server: Server;
let client: Socket;
let served: Socket;
let said: string;
afterEach(async () => {
  client.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Starts a server and connects to it. */
async function start(listener: RequestListener, allowHalfOpen = false): Promise<void> {
  said = '';
  server = createHttpServer(listener);
  server.once('connection', (socket) => {
    served = socket;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  client = net.connect({ port, host: '127.0.0.1', allowHalfOpen });
  client.setNoDelay(true);
  client.on('error', () => undefined);
  client.on('data', (data) => (said += data.toString()));
  await once(client, 'connect');
}

const answerAtTheEnd: RequestListener = (request, response) => {
  let bytes = 0;
  request.on('data', (piece: Buffer) => (bytes += piece.length));
  request.on('end', () => response.end(`took ${bytes} bytes`));
};

describe('chunks of a body', () => {
  test('more than a thousand that average below 64 bytes are 400, and the connection ends', async () => {
    await start(answerAtTheEnd);
    client.write(`${HEAD}${'1\r\nA\r\n'.repeat(300_000)}0\r\n\r\n`);
    await once(client, 'close');
    expect(said).toMatch(/^HTTP\/1.1 400 [\s\S]*too many small chunks/);
  });

  test.each([
    ['a thousand small ones', '1\r\nA\r\n'.repeat(1_000), 1_000],
    ['many of 64 bytes', `40\r\n${'A'.repeat(64)}\r\n`.repeat(20_000), 1_280_000],
  ])('%s are taken', async (_what, chunks, bytes) => {
    await start(answerAtTheEnd);
    client.write(`${HEAD}${chunks}0\r\n\r\n`);
    await eventually(() => expect(said).toContain(`took ${bytes} bytes`));
  });

  test('a large one that a slow line brings in thousands of reads is one', async () => {
    let pieces = 0;
    await start((request, response) => {
      request.on('data', () => pieces++);
      answerAtTheEnd(request, response);
    });
    client.write(`${HEAD}bb8\r\n`);
    for (let sent = 0; sent < 3_000; sent++) {
      client.write('A');
      await nextTurn();
    }
    client.write('\r\n0\r\n\r\n');
    await eventually(() => expect(said).toContain('took 3000 bytes'));
    expect(pieces).toBeGreaterThan(1_000);
  });

  test('those that come after the answer are not parsed, and the connection ends', async () => {
    let pieces = 0;
    await start((request, response) => {
      request.on('data', () => pieces++);
      response.end('no');
    }, true);
    client.write(HEAD);
    await eventually(() => expect(said).toMatch(/^HTTP\/1.1 200 /));
    client.write('1\r\nA\r\n'.repeat(300_000));
    await once(served, 'close');
    expect(pieces).toBe(0);
    expect(served.bytesRead).toBeLessThan(1024 * 1024 + 2 * READ_BYTES);
  });
});
