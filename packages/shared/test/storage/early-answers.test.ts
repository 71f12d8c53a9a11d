import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createObjectStore, type ObjectStore } from '@image-gateway/shared/storage';
import { afterEach, describe, expect, test } from '@jest/globals';

/** More than the kernel holds for both ends of a connection. */
const BODY_BYTES = 24 * 1024 * 1024;
const HEAD_END = '\r\n\r\n';
/** Time for which the server reads nothing after its answer. */
const PAUSE_MS = 200;

let server: net.Server | undefined;
let store: ObjectStore | undefined;
afterEach(async () => {
  store?.close();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
});

/**
 * Starts a store that answers when it has read the headers, and reads the body afterwards. Gives what it has read of it when
 * the connection has ended, or the body has.
 */
async function startEarlyStore(answer: string): Promise<{ readonly read: Promise<Buffer> }> {
  const listener = net.createServer();
  server = listener;
  const read = new Promise<Buffer>((resolve, reject) => {
    listener.on('connection', (socket) => {
      const chunks: Buffer[] = [];
      let head = '';
      const done = (): void => resolve(Buffer.concat(chunks));
      socket.on('error', done).on('close', done);
      const count = (): number => chunks.reduce((sum, { length }) => sum + length, 0);
      socket.on('data', (chunk: Buffer) => {
        if (head.includes(HEAD_END)) {
          chunks.push(chunk);
          return count() === BODY_BYTES ? done() : undefined;
        }
        head += chunk.toString('latin1');
        const end = head.indexOf(HEAD_END);
        if (end !== -1) {
          chunks.push(Buffer.from(head.slice(end + HEAD_END.length), 'latin1'));
          socket.write(answer);
          socket.pause();
          sleep(PAUSE_MS).then(() => socket.resume(), reject);
        }
      });
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as net.AddressInfo;
  store = createObjectStore({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-test-1',
    bucket: 'images',
    accessKey: 'access',
    secretKey: 'secret-secret',
    timeoutMs: 20_000,
  });
  return { read };
}

describe('a server that answers before it has read the object', () => {
  test.each([
    ['stored', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', BODY_BYTES],
    ['exists', 'HTTP/1.1 412 Precondition Failed\r\nContent-Length: 0\r\n\r\n', 0],
  ])('gets no byte from memory that the caller has changed since: %s', async (outcome, answer, atLeast) => {
    const early = await startEarlyStore(answer);
    const body = randomBytes(BODY_BYTES);
    const original = Buffer.from(body);
    expect(await store?.put('a', body, { contentType: 'image/png' })).toBe(outcome);
    body.fill(0);
    const read = await early.read;
    expect(read.length).toBeGreaterThanOrEqual(atLeast);
    expect(read.equals(original.subarray(0, read.length))).toBe(true);
  });
});
