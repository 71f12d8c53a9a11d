import type { ServerResponse } from 'node:http';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createObjectStore } from '@image-gateway/shared/storage';
import { eventually, listen } from '@image-gateway/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Stub, startStub } from './start-stub.js';

const png = { contentType: 'image/png' };
/** The time limit of the stub's adapter, and what a busy machine may add. */
const [limitMs, slackMs] = [400, 20_000];
let stub: Stub | undefined;
afterEach(() => stub?.close());

async function expectTimeout(work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  await expect(work()).rejects.toMatchObject({ name: 'StorageError', fault: 'timeout', retryable: true });
  const tookMs = performance.now() - started;
  expect(tookMs).toBeGreaterThanOrEqual(limitMs - 20);
  expect(tookMs).toBeLessThan(limitMs + slackMs);
}

const half = (response: ServerResponse) => {
  response.writeHead(200, { 'content-length': '100000' });
  response.write(Buffer.alloc(50_000));
};

describe('a hanging server', () => {
  test('one that accepts and says nothing costs the time limit, for each call, and leaves no connection open', async () => {
    stub = await startStub(() => undefined);
    const { store } = stub;
    const calls = [
      () => store.put('a', Buffer.alloc(1_000), png),
      () => store.replace('a', Buffer.alloc(1_000), png),
      () => store.stat('a'),
      () => store.read('a'),
      () => store.stream('a'),
      () => store.list('a'),
      () => store.remove(['a']),
      () => store.ensureBucket(),
      () => store.ping(),
    ];
    await Promise.all(calls.map(expectTimeout));
    await eventually(() => expect(stub?.connections().open).toBe(0));
  });

  test('one that reads no body of a put costs the time limit', async () => {
    const server = await listen(net.createServer((socket) => socket.pause()));
    const settings = { region: 'r', bucket: 'images', accessKey: 'a', secretKey: 's', timeoutMs: limitMs };
    const store = createObjectStore({ endpoint: server.url, ...settings });
    await expectTimeout(() => store.put('a', Buffer.alloc(20_000_000), png));
    await server.close();
  });

  test('one that stops in the middle of a body costs the time limit, and leaves no connection open', async () => {
    stub = await startStub((_, response) => half(response));
    await expectTimeout(() => stub?.store.read('a') ?? Promise.resolve());
    const stream = await stub.store.stream('a');
    await expectTimeout(async () => {
      for await (const _ of stream?.body ?? []) {
      }
    });
    await eventually(() => expect(stub?.connections().open).toBe(0));
  });

  test('one that sends byte after byte cannot stretch the time limit of a read', async () => {
    stub = await startStub((_, response) => {
      response.writeHead(200, { 'content-length': '100000' });
      const drip = setInterval(() => response.write('x'), 50);
      response.once('close', () => clearInterval(drip));
    });
    await expectTimeout(() => stub?.store.read('a') ?? Promise.resolve());
  });

  test('one that hangs within the text of an error costs the time limit', async () => {
    const text = { 'content-length': '100' };
    stub = await startStub((_, response) => response.writeHead(400, text).write('<Error>'));
    await expectTimeout(() => stub?.store.list('a') ?? Promise.resolve());
    await eventually(() => expect(stub?.connections().open).toBe(0));
  });
});

describe('a stream', () => {
  test('a slow reader is no fault of the server', async () => {
    stub = await startStub((_, response) => response.end(Buffer.alloc(2_000_000)));
    const stream = await stub.store.stream('a');
    let bytes = 0;
    let slept = false;
    for await (const chunk of stream?.body ?? []) {
      bytes += (chunk as Buffer).length;
      // Longer than the time limit: what is waited for here is the reader, not the server.
      if (!slept) {
        await sleep(limitMs + 200);
      }
      slept = true;
    }
    expect(bytes).toBe(2_000_000);
  });

  test('a body that the server cuts is an error, never a shorter image', async () => {
    stub = await startStub((_, response) => {
      half(response);
      setImmediate(() => response.destroy());
    });
    const { store } = stub;
    await expect(store.read('a')).rejects.toMatchObject({ fault: 'unreachable', retryable: true });
    const stream = await store.stream('a');
    await expect(
      (async () => {
        for await (const _ of stream?.body ?? []) {
        }
      })(),
    ).rejects.toMatchObject({ name: 'StorageError', fault: 'unreachable' });
  });

  test('a reader that gives up ends the connection', async () => {
    stub = await startStub((_, response) => half(response));
    const stream = await stub.store.stream('a');
    expect(stub.connections().open).toBe(1);
    stream?.body.destroy();
    await eventually(() => expect(stub?.connections().open).toBe(0));
  });

  test('an error that comes before anybody reads waits for the reader', async () => {
    stub = await startStub((_, response) => half(response));
    const stream = await stub.store.stream('a');
    await stub.close();
    await eventually(() => expect(stream?.body.errored).not.toBeNull());
    await expect(stream?.body.toArray()).rejects.toMatchObject({ name: 'StorageError' });
  });
});
