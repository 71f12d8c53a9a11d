import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@image-gateway/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createConnections } from './connection.js';
import { readInTurn, type TurnBounds } from './read-in-turn.js';

let server: Server;
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) {
    client.destroy();
  }
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Starts a server that answers requests to `/small` at once, and notes the addresses of the others, about which nobody decides. */
async function start(bounds: Partial<TurnBounds>) {
  const undecided: { readonly address: string; readonly response: ServerResponse }[] = [];
  server = createServer((request, response) => {
    if (request.url === '/small') {
      response.end('fine');
      return;
    }
    request.socket.pause();
    undecided.push({ address: request.socket.remoteAddress ?? '', response });
  });
  const connections = createConnections();
  const reader = readInTurn(connections, bounds);
  server.on('connection', (socket) => {
    const connection = connections.open(socket);
    reader.open(connection);
    reader.admit(connection);
  });
  server.on('request', reader.note);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const connect = (localAddress = '127.0.0.1'): Socket => {
    const client = net.connect({ port, host: '127.0.0.1', localAddress });
    client.on('error', () => undefined);
    clients.push(client);
    return client;
  };
  const sendLarge = (localAddress?: string): Socket => {
    const client = connect(localAddress);
    client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n');
    client.write(Buffer.alloc(80_000));
    return client;
  };
  return { undecided, connect, sendLarge };
}

describe('first reads', () => {
  test('of large bodies wait until others are decided, and lose nothing', async () => {
    const { undecided, sendLarge } = await start({ perTurn: 2, undecided: 4, ms: 60_000 });
    for (let n = 0; n < 20; n++) {
      sendLarge();
    }
    await eventually(() => expect(undecided.length).toBeGreaterThanOrEqual(4));
    await sleep(150);
    // A turn begins as many as it may, before their requests are there.
    expect(undecided.length).toBeLessThanOrEqual(6);
    for (let answered = 0; answered < 20; ) {
      for (const { response } of undecided.slice(answered)) {
        response.end('fine');
        answered++;
      }
      await sleep(20);
      expect(undecided.length - answered).toBeLessThanOrEqual(6);
    }
    expect(undecided).toHaveLength(20);
  });

  test('of other addresses come in turn', async () => {
    const { undecided, sendLarge } = await start({ perTurn: 1, undecided: 1, ms: 60_000 });
    for (let n = 0; n < 10; n++) {
      sendLarge();
    }
    await eventually(() => expect(undecided.length).toBeGreaterThan(0));
    await once(sendLarge('127.0.0.2'), 'connect');
    await sleep(100);
    let answered = 0;
    await eventually(() => {
      for (const { response } of undecided.slice(answered)) {
        response.end('fine');
        answered++;
      }
      expect(undecided.map(({ address }) => address)).toContain('127.0.0.2');
    });
    expect(undecided.length).toBeLessThan(8);
  });

  test('go on after a moment, whatever becomes of the others', async () => {
    const { undecided, sendLarge } = await start({ perTurn: 2, undecided: 2, ms: 50 });
    for (let n = 0; n < 8; n++) {
      sendLarge();
    }
    await eventually(() => expect(undecided).toHaveLength(8));
  });

  test('of connections that say nothing and of small requests count only in their turn', async () => {
    const { connect } = await start({ perTurn: 2, undecided: 2, ms: 60_000 });
    for (let n = 0; n < 50; n++) {
      connect();
    }
    const client = connect();
    for (let n = 0; n < 10; n++) {
      client.write('GET /small HTTP/1.1\r\nHost: a\r\n\r\n');
      expect(String((await once(client, 'data'))[0])).toMatch(/^HTTP\/1.1 200/);
    }
  });
});
