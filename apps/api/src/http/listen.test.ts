import { createServer } from 'node:http';
import net from 'node:net';
import { createShutdown } from '@image-gateway/shared/lifecycle';
import { createLogger } from '@image-gateway/shared/logging';
import { expect, test } from '@jest/globals';
import { listen } from './listen.js';

const CLIENTS = 120;
/** Together longer than the two seconds for which a server waits for new connections. */
const BUSY_MS = 25;

/** Sends a request on a connection of its own. Resolves with the status line, or with the code of the error. */
function request(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'),
    );
    socket.once('data', (bytes) => {
      resolve(String(bytes).split('\r\n')[0] ?? '');
      socket.destroy();
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
  });
}

test('a port that another program has is named together with its setting', async () => {
  const [first, second] = [createServer(), createServer()];
  const logger = createLogger({ service: 'test', level: 'info', write: () => undefined });
  const shutdown = createShutdown({ logger, graceMs: 60_000 });
  const port = await listen(first, { host: '127.0.0.1', port: 0, shutdown });
  await expect(listen(second, { host: '127.0.0.1', port, shutdown })).rejects.toThrow(
    `another program listens on port ${port} of 127.0.0.1: end it, or set PORT to a free port`,
  );
  await shutdown.run('test');
});

test('a stop of a busy server answers every connection that the kernel had accepted', async () => {
  const server = createServer((_request, response) => {
    const until = performance.now() + BUSY_MS;
    while (performance.now() < until) {}
    response.end('x');
  });
  const logger = createLogger({ service: 'test', level: 'info', write: () => undefined });
  const shutdown = createShutdown({ logger, graceMs: 60_000 });
  const port = await listen(server, { host: '127.0.0.1', port: 0, shutdown });
  const answers = Array.from({ length: CLIENTS }, () => request(port));
  await Promise.race(answers);
  const stopped = shutdown.run('test');
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200 OK']));
  await stopped;
});
