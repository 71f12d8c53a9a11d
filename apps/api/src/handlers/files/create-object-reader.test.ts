import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ByteRange, ObjectInfo } from '@image-gateway/shared/storage';
import { describe, expect, jest, test } from '@jest/globals';
import { createObjectReader } from './create-object-reader.js';

const MIB = 1024 ** 2;
const PIECE = 64 * 1024;
const INFO: ObjectInfo = {
  ...{ bytes: 0, contentType: 'image/png', etag: '', metadata: {} },
  lastModified: new Date(0),
};

/** Store with one object. It notes the ranges that are asked for, and which are still open. */
function openStore(object: Buffer) {
  const ranges: ByteRange[] = [];
  const open = new Set<Readable>();
  const stream = async (key: string, range: ByteRange = { start: 0, end: object.length - 1 }) => {
    if (key !== 'a') {
      return null;
    }
    ranges.push(range);
    const part = object.subarray(range.start, range.end + 1);
    let at = 0;
    const body = new Readable({
      read() {
        const piece = part.subarray(at, at + PIECE);
        at += piece.length;
        setImmediate(() => this.push(piece.length > 0 ? piece : null));
      },
    });
    open.add(body);
    body.once('close', () => open.delete(body));
    return { body, info: INFO };
  };
  return { ranges, open, read: createObjectReader({ store: { stream } }) };
}
const part = (start: number, end: number) => ({ key: 'a', address: '127.0.0.1', start, end });

describe('the reader of objects', () => {
  test('the reader of objects passes an object to a fast client from one request', async () => {
    const object = randomBytes(3 * MIB + 7);
    const { read, ranges } = openStore(object);
    const body = await read(part(10, object.length - 3));
    const bytes = Buffer.concat((await body?.toArray()) as Buffer[]);
    expect(bytes.equals(object.subarray(10, -2))).toBe(true);
    expect(ranges).toEqual([{ start: 10, end: object.length - 3 }]);
  });

  test('the reader of objects passes an object from one request to a client that falls behind for a moment, and pauses the store meanwhile', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    try {
      const object = randomBytes(3 * MIB);
      const { read, ranges } = openStore(object);
      const body = await read(part(0, object.length - 1));
      let held = -1;
      while (body && body.readableLength > held) {
        held = body.readableLength;
        for (let turn = 0; turn < 10; turn++) {
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      expect(held).toBeGreaterThan(PIECE);
      expect(held).toBeLessThan(MIB / 2);
      jest.advanceTimersByTime(90);
      const bytes = Buffer.concat((await body?.toArray()) as Buffer[]);
      expect(bytes.equals(object)).toBe(true);
      expect(ranges).toHaveLength(1);
    } finally {
      jest.useRealTimers();
    }
  });

  test('the reader of objects holds no connection for a client that does not read, little memory, and goes on where it stopped', async () => {
    const object = randomBytes(12 * MIB + 1);
    const { read, ranges, open } = openStore(object);
    const body = await read(part(0, object.length - 1));
    for (let turn = 0; turn < 100 && open.size > 0; turn++) {
      await sleep(10);
    }
    expect(open.size).toBe(0);
    expect(body?.readableLength).toBeLessThan(MIB / 2);
    const bytes = Buffer.concat((await body?.toArray()) as Buffer[]);
    expect(bytes.equals(object)).toBe(true);
    expect(ranges.length).toBeGreaterThan(3);
    expect(ranges.slice(1).every(({ start, end }) => end - start < MIB / 2)).toBe(true);
  });

  test('the reader of objects says that there is no object, and breaks when the store sends too little', async () => {
    const { read } = openStore(randomBytes(100));
    expect(await read({ ...part(0, 9), key: 'b' })).toBeNull();
    const body = await read(part(0, 200));
    await expect(body?.toArray()).rejects.toThrow('wrong length');
  });

  test('serves more clients than the store has places for, some of whom never read', async () => {
    const object = randomBytes(5 * MIB);
    const { read, open } = openStore(object);
    const idle = await Promise.all(Array.from({ length: 40 }, () => read(part(0, object.length - 1))));
    const body = await read(part(0, 1_000));
    expect((await body?.toArray())?.length).toBeGreaterThan(0);
    for (const one of idle) {
      one?.destroy();
    }
    await sleep(20);
    expect(open.size).toBe(0);
  });
});
