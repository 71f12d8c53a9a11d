import { createHash, randomBytes } from 'node:crypto';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@image-gateway/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Reply } from './call.js';
import { sendReply } from './send-reply.js';

const CHUNK_BYTES = 64 * 1024;

let server: Server;
afterEach(async () => {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

/** Starts a server that sends the reply, and requests it. `sent` settles as the sending does. */
async function request(
  reply: Pick<Reply, 'stream' | 'ownsChunks'>,
): Promise<{ readonly answer: IncomingMessage; readonly sent: Promise<unknown> }> {
  let sent: Promise<unknown> = Promise.resolve();
  server = createServer((_request, response) => {
    sent = sendReply({ status: 200, ...reply }, response, false).catch((error: unknown) => error);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const answer = await new Promise<IncomingMessage>((resolve) => {
    get({ port, host: '127.0.0.1' }, resolve);
  });
  return { answer, sent };
}

/** Chunks with memory of their own, as a connection reads them. */
const makeChunks = (count: number): Buffer[] =>
  Array.from({ length: count }, () => {
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    randomBytes(CHUNK_BYTES).copy(chunk);
    return chunk;
  });
const hash = (chunks: readonly Buffer[]): string => {
  const sum = createHash('sha256');
  for (const chunk of chunks) {
    sum.update(chunk);
  }
  return sum.digest('hex');
};
const lengths = (chunks: readonly Buffer[]): Set<number> => new Set(chunks.map(({ length }) => length));

describe('a stream of chunks that are its own', () => {
  test('arrives whole at a client that reads slowly, and every chunk is free when it has been sent', async () => {
    const chunks = makeChunks(200);
    const digest = hash(chunks);
    const { answer, sent } = await request({ stream: Readable.from(chunks), ownsChunks: true });
    const received: Buffer[] = [];
    for await (const part of answer) {
      received.push(part as Buffer);
      if (received.length % 50 === 0) {
        await sleep(5);
      }
    }
    expect(hash(received)).toBe(digest);
    expect(await sent).toBeUndefined();
    expect(lengths(chunks)).toEqual(new Set([0]));
  });

  test('leaves memory as it is of which a chunk is only a part', async () => {
    const memory = Buffer.allocUnsafeSlow(2 * CHUNK_BYTES).fill('x');
    const { answer } = await request({
      stream: Readable.from([memory.subarray(0, CHUNK_BYTES)]),
      ownsChunks: true,
    });
    expect(hash((await answer.toArray()) as Buffer[])).toBe(hash([Buffer.alloc(CHUNK_BYTES, 'x')]));
    expect(memory.length).toBe(2 * CHUNK_BYTES);
  });

  test('ends when its client leaves, although no more bytes come', async () => {
    const [chunk] = makeChunks(1);
    const stream = new Readable({ read: () => undefined });
    stream.push(chunk);
    const { answer, sent } = await request({ stream, ownsChunks: true });
    answer.destroy();
    expect(await sent).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
    expect(stream.destroyed).toBe(true);
  });

  test('cuts the connection when it breaks', async () => {
    const [chunk] = makeChunks(1);
    const stream = new Readable({ read: () => undefined });
    stream.push(chunk);
    const { answer, sent } = await request({ stream, ownsChunks: true });
    stream.destroy(new Error('the store is gone'));
    await expect(answer.toArray()).rejects.toThrow('aborted');
    expect(await sent).toMatchObject({ message: 'the store is gone' });
  });

  test('frees nothing of a client that takes nothing while the system may still read it', async () => {
    const chunks = makeChunks(400);
    const { answer, sent } = await request({ stream: Readable.from(chunks), ownsChunks: true });
    answer.pause();
    await eventually(() => expect(chunks.some(({ length }) => length === 0)).toBe(true));
    await sleep(200);
    const held = chunks.filter(({ length }) => length > 0);
    expect(held.length).toBeGreaterThan(0);
    answer.destroy();
    expect(await sent).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
  });
});

test('chunks that others may have stay as they are', async () => {
  const chunks = makeChunks(3);
  const { answer } = await request({ stream: Readable.from(chunks) });
  await answer.toArray();
  expect(lengths(chunks)).toEqual(new Set([CHUNK_BYTES]));
});
