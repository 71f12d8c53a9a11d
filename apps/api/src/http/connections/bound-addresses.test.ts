import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { eventually } from '@image-gateway/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type AddressBounds, boundAddresses } from './bound-addresses.js';
import { createConnections, getConnection } from './connection.js';
import { readInTurn } from './read-in-turn.js';

let server: Server;
let stop: () => void;
let dropped: number;
const clients: Socket[] = [];
afterEach(async () => {
  stop();
  for (const client of clients.splice(0)) {
    client.destroy();
  }
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Starts a server that answers `/now` at once, `/known` as to a client with a key, and others never. */
async function start(bounds: Partial<AddressBounds>, isProxy = false): Promise<void> {
  dropped = 0;
  const connections = createConnections();
  const reader = readInTurn(connections);
  const { neighborhoods } = connections;
  const onDrop = (): void => void dropped++;
  const places = boundAddresses(
    { neighborhoods, isProxy: () => isProxy, reader, onDrop },
    { perAddress: 1_024, headerBytes: 32 * 1024 * 1024, everyMs: 20, restMs: 100, ...bounds },
  );
  stop = places.stop;
  server = createServer((request, response) => {
    const connection = getConnection(request.socket);
    connection.running.add(response);
    if (request.url === '/known') {
      connection.know(true);
    } else if (request.url === '/now') {
      connection.running.delete(response);
      connection.restsSince = performance.now();
      connection.restBytes = request.socket.bytesRead;
      connection.know(false);
      response.end('fine');
    }
  });
  server.on('connection', (socket) => places.enter(connections.open(socket)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
}

interface Client {
  readonly socket: Socket;
  said: string;
}

/** Connects and sends the beginning of a request, or all of it. */
function ask(text: string, localAddress = '127.0.0.1'): Client {
  const { port } = server.address() as AddressInfo;
  const socket = net.connect({ port, host: '127.0.0.1', localAddress });
  const client = { socket, said: '' };
  socket.on('error', () => undefined);
  socket.on('data', (data) => (client.said += data.toString()));
  socket.write(text);
  clients.push(socket);
  return client;
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const answered = (client: Client): Promise<void> => eventually(() => expect(client.said).toContain('fine'));

describe('connections of an address', () => {
  test('over the bound the one that has rested longest gives way, and the new one is served', async () => {
    await start({ perAddress: 3 });
    const resting = [ask(get('/now')), ask(get('/now'))];
    await Promise.all(resting.map(answered));
    ask(get('/never'));
    await answered(ask(get('/now')));
    await eventually(() => expect(resting.map(({ socket }) => socket.closed)).toContain(true));
    expect(resting.filter(({ socket }) => socket.closed)).toHaveLength(1);
    expect(dropped).toBe(0);
  });

  test('where none rests, a new one waits unread for a place, others of other addresses do not, and too many are closed', async () => {
    await start({ perAddress: 2 });
    const first = ask(get('/never'));
    ask(get('/never'));
    await eventually(async () => expect(await countServed()).toBe(2));
    const waiting = ask(get('/now'));
    await answered(ask(get('/now'), '127.0.0.2'));
    expect(waiting.said).toBe('');
    ask(get('/now'));
    const refused = ask(get('/now'));
    await eventually(() => expect(refused.socket.closed).toBe(true));
    expect([dropped, refused.said]).toEqual([1, '']);
    first.socket.destroy();
    await answered(waiting);
  });

  test('one whose last request had a valid key does not count, and one without counts again', async () => {
    await start({ perAddress: 2 });
    for (let n = 0; n < 5; n++) {
      const known = ask(get('/known'));
      await eventually(async () => expect(await countServed()).toBe(n + 1));
      expect(known.socket.closed).toBe(false);
    }
    expect(clients.filter(({ closed }) => closed)).toEqual([]);
    await answered(ask(get('/now')));
  });

  test('those of a proxy are not bounded', async () => {
    await start({ perAddress: 1 }, true);
    for (let n = 0; n < 5; n++) {
      ask(get('/never'));
    }
    await eventually(async () => expect(await countServed()).toBe(5));
  });

  test('one with unfinished headers gives way when none rests', async () => {
    await start({ perAddress: 2 });
    const unfinished = ask('GET /never HTTP/1.1\r\nx: ');
    ask(get('/never'));
    await eventually(async () => expect(await countServed()).toBe(2));
    await answered(ask(get('/now')));
    await eventually(() => expect(unfinished.socket.closed).toBe(true));
  });

  test('unfinished headers of all take no more than their bytes: those of the address with the most are closed', async () => {
    await start({ headerBytes: 100_000 });
    const other = ask(`GET /never HTTP/1.1\r\nx: ${'a'.repeat(9_000)}`, '127.0.0.2');
    const many = Array.from({ length: 30 }, () => ask(`GET /never HTTP/1.1\r\nx: ${'a'.repeat(9_000)}`));
    await eventually(() => expect(many.filter(({ socket }) => socket.closed).length).toBeGreaterThan(19));
    expect(other.socket.closed).toBe(false);
    await answered(ask(get('/now')));
  });
});

function countServed(): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}
