import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { eventually } from '@image-gateway/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { sendReply } from './framework/send-reply.js';
import { resetSlowReaders } from './reset-slow-readers.js';

const LIMITS = { windowMs: 600, minBytesPerSecond: 10_000, everyMs: 50 };
/** More than the kernel takes for a reader on this machine that does not read. */
const large = Buffer.alloc(16 * 1024 * 1024, 'x');
let server: Server;
let accepted: number;
let endWatch: () => void;
let sockets: net.Socket[];

afterEach(() => {
  endWatch();
  for (const socket of sockets) {
    socket.destroy();
  }
  server.closeAllConnections();
  server.close();
});

async function serve(answer: (response: ServerResponse) => Promise<void>): Promise<void> {
  sockets = [];
  accepted = 0;
  server = createServer((_request, response) => void answer(response).catch(() => undefined));
  server.on('connection', () => {
    accepted++;
  });
  endWatch = resetSlowReaders(server, LIMITS);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

function ask(): net.Socket {
  const { port } = server.address() as AddressInfo;
  const socket = net.connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

const connections = (): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
const image = (response: ServerResponse): Promise<void> =>
  sendReply({ status: 200, text: large }, response, false);

describe('readers', () => {
  test('readers that take nothing of what is ready for them are reset', async () => {
    await serve(image);
    for (let i = 0; i < 20; i++) {
      ask().pause();
    }
    await eventually(() => expect(accepted).toBe(20));
    await eventually(async () => expect(await connections()).toBe(0));
  });

  test('readers that take it steadily get all of it, however long that takes', async () => {
    await serve(image);
    const socket = ask();
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      socket.pause();
      setTimeout(() => socket.resume(), chunk.length / 10_000);
    });
    await eventually(() => expect(bytes).toBeGreaterThanOrEqual(large.length));
  });

  test('readers that wait for us are left alone', async () => {
    let finish = (): void => undefined;
    await serve(async (response) => {
      response.write('a');
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      response.end('b');
    });
    const socket = ask();
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await new Promise((resolve) => setTimeout(resolve, 3 * LIMITS.windowMs));
    finish();
    await eventually(() => expect(text).toContain('1\r\na\r\n1\r\nb\r\n0'));
  });

  test('readers that went idle with a large response unread are reset at the idle timeout, so that the kernel forgets it', async () => {
    await serve((response) => sendReply({ status: 200, text: large.subarray(0, 500_000) }, response, false));
    server.keepAliveTimeout = 500;
    const socket = ask();
    socket.pause();
    await eventually(() => expect(accepted).toBe(1));
    await eventually(async () => expect(await connections()).toBe(0));
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(bytes).toBeLessThan(500_000);
  });
});
