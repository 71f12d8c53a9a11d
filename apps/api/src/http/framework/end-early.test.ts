import { createServer, type IncomingMessage } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { eventually } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';
import { endEarly } from './end-early.js';
import { type RequestState, setState } from './request-state.js';

const CLIENTS = 150;
const KIB = 1024;
const SENT_BYTES = 200 * KIB;

test('of many unfinished bodies that are refused at once few are dropped at a time, the others keep nothing of theirs in memory, and each client reads its answer', async () => {
  const served: Socket[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer((_request, response) => void endEarly(response, 'no'));
  server.on('connection', (socket) => served.push(socket));
  server.on('request', (request) => {
    requests.push(request);
    request.socket.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const clients = Array.from({ length: CLIENTS }, () => {
    const client = { socket: net.connect(port, '127.0.0.1'), said: '' };
    client.socket.on('error', () => undefined).on('data', (data) => (client.said += data.toString()));
    client.socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n');
    client.socket.write(Buffer.alloc(SENT_BYTES));
    return client;
  });
  await eventually(() =>
    expect(clients.filter(({ said }) => said.startsWith('HTTP/1.1 200')).length).toBe(CLIENTS),
  );
  // A client alone may have half of the places; what is read of others came with their headers.
  const dropped = served.filter(({ destroyed, bytesRead }) => !destroyed && bytesRead > 65 * KIB);
  expect(dropped.length).toBeLessThanOrEqual(32);
  expect(requests.filter(({ readableLength }) => readableLength > 0).length).toBeLessThanOrEqual(32);
  for (const { socket } of clients) {
    socket.destroy();
  }
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

test('answered requests of one account that wait to be dropped are at most 256: over it the oldest is closed, with its answer', async () => {
  const served: Socket[] = [];
  const server = createServer((request, response) => {
    setState(request, { caller: { accountId: 'acc' }, address: '' } as RequestState);
    void endEarly(response, 'no');
  });
  server.on('connection', (socket) => served.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const clients = Array.from({ length: 300 }, () => {
    const client = { socket: net.connect(port, '127.0.0.1'), said: '' };
    client.socket.on('error', () => undefined).on('data', (data) => (client.said += data.toString()));
    client.socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n{');
    return client;
  });
  await eventually(() =>
    expect(clients.filter(({ said }) => said.startsWith('HTTP/1.1 200')).length).toBe(300),
  );
  expect(served.filter(({ writableEnded }) => !writableEnded).length).toBeLessThanOrEqual(256);
  for (const { socket } of clients) {
    socket.destroy();
  }
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});
