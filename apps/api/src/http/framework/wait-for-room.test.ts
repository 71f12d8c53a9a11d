import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { eventually } from '@image-gateway/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Reply } from './call.js';
import { HELD_BYTES } from './held-bytes.js';
import { type RequestState, setState } from './request-state.js';
import { sendReply } from './send-reply.js';

const MIB = 1024 * 1024;

let server: Server;
const clients: Socket[] = [];
const responses: ServerResponse[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) {
    client.destroy();
  }
  responses.length = 0;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Starts a server that sends a reply to each request. */
async function start(reply: Pick<Reply, 'text'>, watch?: (response: ServerResponse) => void): Promise<void> {
  server = createServer((request, response) => {
    setState(request, { address: request.socket.remoteAddress } as RequestState);
    responses.push(response);
    watch?.(response);
    sendReply({ status: 200, ...reply }, response, false).catch(() => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
}

function ask(count: number, localAddress = '127.0.0.1'): Socket {
  const { port } = server.address() as AddressInfo;
  const client = net.connect({ port, host: '127.0.0.1', localAddress });
  client.on('error', () => undefined);
  client.pause();
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count));
  clients.push(client);
  return client;
}

describe('responses that nobody reads', () => {
  test('bytes that handlers share are sent as they are, and never copied', async () => {
    const shared = Buffer.alloc(4 * MIB, 'x');
    const chunks: Buffer[] = [];
    await start({ text: shared }, (response) => {
      const write = response.write.bind(response);
      response.write = ((chunk: Buffer, ...rest: []) => {
        chunks.push(chunk);
        return write(chunk, ...rest);
      }) as typeof response.write;
    });
    ask(3).resume();
    await eventually(() => expect(chunks).toHaveLength((3 * shared.length) / (64 * 1024)), {
      timeoutMs: 20_000,
    });
    expect(chunks.filter(({ buffer }) => buffer !== shared.buffer)).toEqual([]);
  });

  test('only the next one of a connection holds its bytes', async () => {
    await start({ text: 'x'.repeat(60_000) });
    const client = ask(200);
    await eventually(() => expect(responses).toHaveLength(200));
    await eventually(() => expect(responses.filter(({ headersSent }) => headersSent)).not.toHaveLength(0));
    const held = responses.filter(({ socket, writableLength }) => socket === null && writableLength > 0);
    expect(held).toEqual([]);
    client.resume();
    await eventually(
      () => expect(responses.filter(({ writableFinished }) => writableFinished)).toHaveLength(200),
      {
        timeoutMs: 20_000,
      },
    );
  });

  test('those of an address hold a quarter of the memory for them: the next one waits until others are read', async () => {
    const bytes = Math.floor(HELD_BYTES / 16);
    await start({ text: 'x'.repeat(bytes) });
    const unread = Array.from({ length: 8 }, () => ask(1));
    await eventually(() => expect(responses).toHaveLength(8));
    const begun = (): number => responses.filter(({ headersSent }) => headersSent).length;
    await eventually(() => expect(begun()).toBe(4));
    let taken = 0;
    ask(1, '127.0.0.2')
      .on('data', (data) => (taken += data.length))
      .resume();
    await eventually(() => expect(taken).toBeGreaterThan(bytes));
    expect(begun()).toBe(5);
    for (const client of unread) {
      client.resume();
    }
    await eventually(
      () => expect(responses.filter(({ writableFinished }) => writableFinished)).toHaveLength(9),
      {
        timeoutMs: 20_000,
      },
    );
  });
});
