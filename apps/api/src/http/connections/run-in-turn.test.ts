import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventually } from '@image-gateway/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createHttpServer } from '../create-server.js';

const READ_BYTES = 64 * 1024;

let server: Server;
const sockets: Socket[] = [];
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) {
    client.destroy();
  }
  sockets.length = 0;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Starts a server, and notes the sockets that it takes. */
async function start(listener: RequestListener): Promise<void> {
  server = createHttpServer(listener);
  server.on('connection', (socket) => sockets.push(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
}

function connect(localAddress = '127.0.0.1'): Socket {
  const { port } = server.address() as AddressInfo;
  const client = net.connect({ port, host: '127.0.0.1', localAddress });
  client.on('error', () => undefined);
  clients.push(client);
  return client;
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\n\r\n`;
const many = (count: number): string => Array.from({ length: count }, (_, n) => get(`/${n}`)).join('');

describe('requests of one connection', () => {
  test('at most sixteen run at a time, all are answered in order, and the connection goes on', async () => {
    let running = 0;
    let most = 0;
    await start((request, response) => {
      running++;
      most = Math.max(most, running);
      response.once('close', () => running--);
      setTimeout(() => response.end(`[${request.url}]`), Number(request.url?.slice(1)) % 3);
    });
    const client = connect();
    let said = '';
    client.on('data', (data) => (said += data.toString()));
    client.write(many(2_000));
    const paths = (): string[] => [...said.matchAll(/\[\/(\d+)\]/g)].map(([, n]) => n ?? '');
    await eventually(() => expect(paths()).toHaveLength(2_000));
    expect(paths()).toEqual(Array.from({ length: 2_000 }, (_, n) => String(n)));
    expect(most).toBe(16);
    client.write(many(3));
    await eventually(() => expect(paths()).toHaveLength(2_003));
  });

  test('no more is read than one read brings while requests wait', async () => {
    await start(() => undefined);
    const client = connect();
    client.write(get('/x').repeat(200_000));
    await eventually(() => expect(sockets[0]?.bytesRead).toBeGreaterThan(10_000));
    for (let turn = 0; turn < 200; turn++) {
      await nextTurn();
    }
    expect(sockets[0]?.bytesRead).toBeLessThanOrEqual(READ_BYTES);
  });

  test('few begin in one turn of the event loop, so that others are served between them', async () => {
    let begun = 0;
    let atOther = 0;
    await start((request, response) => {
      if (request.url === '/other') {
        atOther = begun;
      } else {
        begun++;
      }
      response.end();
    });
    const other = connect('127.0.0.2');
    await once(other, 'connect');
    for (let n = 0; n < 5; n++) {
      const client = connect();
      client.resume();
      client.write(many(3_000));
    }
    await eventually(() => expect(begun).toBeGreaterThan(0));
    other.write(get('/other'));
    await once(other, 'data');
    expect(atOther).toBeLessThan(2_000);
    await eventually(() => expect(begun).toBe(15_000));
  });

  test('none begins once the connection is gone, and each that has begun is told', async () => {
    const open = new Set<ServerResponse>();
    let begun = 0;
    await start((_request, response) => {
      begun++;
      open.add(response);
      response.once('close', () => open.delete(response));
    });
    const client = connect();
    client.write(many(1_000));
    await eventually(() => expect(open.size).toBe(16));
    client.resetAndDestroy();
    sockets[0]?.resetAndDestroy();
    await eventually(() => expect(open.size).toBe(0));
    expect(begun).toBe(16);
  });

  test('those behind sixteen that nobody reads are bounded by address, and others of the address are served', async () => {
    await start((request, response) => void (request.url === '/healthy' && response.end('fine')));
    for (let n = 0; n < 8; n++) {
      connect().write(many(3_000));
    }
    await eventually(() => expect(sockets.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(0));
    const healthy = connect();
    healthy.write(get('/healthy'));
    expect(String((await once(healthy, 'data'))[0])).toContain('fine');
    expect(sockets.filter(({ destroyed }) => !destroyed).length).toBeGreaterThan(3);
  });
});
