import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

/** A large 4k image: more than the kernel takes for a reader that does not read. */
const image = randomBytes(12_000_000);
/** The kernel copies gigabytes for these readers: how fast is up to the machine. */
const SLOW_MACHINE_MS = 240_000;
const served = new Set<net.Socket>();
let api: TestApi;
let path: string;

beforeAll(async () => {
  api = await startApi({ TRUST_PROXY: 'loopback' });
  api.server.on('connection', (socket) => {
    served.add(socket);
    socket.once('close', () => served.delete(socket));
  });
  await api.store.ensureBucket();
  const task = await finishTask(api, await api.account(), { images: [image] });
  path = `/files/images/${task.id}/0.png`;
  await api.store.put(`images/${task.id}/0.png`, image, { contentType: 'image/png' });
});
afterAll(() => api.stop());

/** Asks for the image from an address and never reads; resolves when the request is sent. */
function ask(address: string): Promise<net.Socket> {
  return new Promise((resolve) => {
    const socket = net.connect(api.port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n\r\n`, () =>
        resolve(socket),
      );
    });
    socket.on('error', () => undefined);
    socket.pause();
  });
}

/** Waits until the readers have all that the kernel takes for them: no reader that reads is slow for their sake then. */
async function stalled(): Promise<void> {
  let before = 0;
  await eventually(
    () => {
      const last = before;
      before = [...served].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
      expect([before > 0, before]).toEqual([true, last]);
    },
    { everyMs: 1_000, timeoutMs: SLOW_MACHINE_MS },
  );
}

async function download(address: string, range?: string): Promise<Buffer> {
  const headers = { 'x-forwarded-for': address, ...(range !== undefined && { range }) };
  const response = await fetch(api.url + path, { headers });
  expect(response.status).toBe(range === undefined ? 200 : 206);
  return Buffer.from(await response.arrayBuffer());
}

describe('downloads that nobody reads', () => {
  test(
    'hold no connection to the store: others get their images whole',
    async () => {
      const sockets = await Promise.all(Array.from({ length: 260 }, (_, i) => ask(`198.51.100.${i % 5}`)));
      await stalled();
      expect((await download('203.0.113.1')).equals(image)).toBe(true);
      expect(
        (await download('203.0.113.1', 'bytes=999999-3000000')).equals(image.subarray(999_999, 3_000_001)),
      ).toBe(true);
      for (const socket of sockets) {
        socket.destroy();
      }
    },
    SLOW_MACHINE_MS,
  );

  test(
    'downloads that nobody reads of one address are 128 at most, and its places come back',
    async () => {
      const sockets = await Promise.all(Array.from({ length: 128 }, () => ask('198.51.100.9')));
      const answer = (): Promise<number> =>
        fetch(api.url + path, { method: 'GET', headers: { 'x-forwarded-for': '198.51.100.9' } }).then(
          async (response) => {
            await response.body?.cancel();
            return response.status;
          },
        );
      await eventually(async () => expect(await answer()).toBe(429));
      expect((await download('203.0.113.2', 'bytes=0-9')).length).toBe(10);
      for (const socket of sockets) {
        socket.destroy();
      }
      await eventually(async () => expect(await answer()).toBe(200));
    },
    SLOW_MACHINE_MS,
  );
});
