import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger } from '@image-gateway/shared/logging';
import { createMetrics } from '@image-gateway/shared/metrics';
import { eventually } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createResponseStore, type ResponseStore } from './create-response-store.js';
import { createSpool, type Spool } from './create-spool.js';

const MIB = 1024 ** 2;
const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
const owner = (key = 'a', signal = new AbortController().signal) => ({ key, signal });
const LARGE = randomBytes(3 * MIB);

let dir: string;
let disk: { spool: Spool; bytes: number };
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'responses-test-'));
  const onSize = (bytes: number): void => {
    disk.bytes = bytes;
  };
  disk = { bytes: 0, spool: createSpool({ dir, maxBytes: 1_000 * MIB, id: 'a', onSize }) };
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const store = (spool = disk.spool, spoolBytes = 1_000 * MIB): ResponseStore => {
  const metrics = createMetrics('test');
  return createResponseStore({ spool, spoolBytes, memoryBytes: 8 * MIB, logger, metrics });
};
async function writeTo(body: ReturnType<ReturnType<ResponseStore['open']>['receive']>, bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 65_536) {
    await body.write(bytes.subarray(at, at + 65_536));
  }
}
/** A spool whose disk is full after so many appends. */
const failingAfter = (appends: number): Spool => ({
  open: async () => {
    const file = await disk.spool.open();
    let left = appends;
    return { ...file, append: async (chunk) => left-- > 0 && file.append(chunk) };
  },
});

describe('create response store', () => {
  test.each([
    ['a small one, which touches no disk', () => disk.spool, randomBytes(1_000)],
    ['a large one', () => disk.spool, LARGE],
    ['one that finds the disk full', () => failingAfter(0), LARGE],
    ['one that fills the disk halfway', () => failingAfter(3), LARGE],
  ])('the room for responses returns every response as it came: %s', async (_, spool, bytes) => {
    const room = store(spool()).open(owner());
    const body = room.receive();
    await writeTo(body, bytes);
    expect((await body.load(2)).equals(bytes)).toBe(true);
    expect(disk.bytes).toBe(0);
    await body.close();
    room.close();
  });

  test('the room for responses reads responses to their end while others hold all memory, and hands them out when it is free', async () => {
    const responses = store();
    const rooms = [responses.open(owner('a')), responses.open(owner('b'))];
    const bodies = rooms.map((room) => room.receive());
    for (const body of bodies) {
      await writeTo(body, LARGE);
    }
    await bodies[0]?.load(2);
    let loaded = false;
    const second = bodies[1]?.load(2).then(() => {
      loaded = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([loaded, disk.bytes]).toEqual([false, LARGE.length]);
    rooms[0]?.close();
    await second;
    expect(disk.bytes).toBe(0);
  });

  test('the room for responses leaves neither memory nor disk behind when a call is stopped while it waits', async () => {
    const responses = store();
    const holder = responses.open(owner());
    const held = holder.receive();
    await writeTo(held, LARGE);
    await held.load(2);
    const ending = new AbortController();
    const stopped = responses.open(owner('b', ending.signal));
    const body = stopped.receive();
    await writeTo(body, LARGE);
    const waiting = body.load(2);
    ending.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await body.close();
    stopped.close();
    holder.close();
    const next = responses.open(owner('c')).receive();
    await writeTo(next, LARGE);
    await next.load(2);
    await eventually(async () => expect(disk.bytes).toBe(0));
  });

  test('the room for responses is reserved for the largest response of each call', async () => {
    const responses = store(disk.spool, 100 * MIB);
    const [first] = await Promise.all([responses.reserve(owner()), responses.reserve(owner('b'))]);
    let admitted = false;
    const third = responses.reserve(owner('c')).then(() => {
      admitted = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(admitted).toBe(false);
    first();
    await third;
  });
});
