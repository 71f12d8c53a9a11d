import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ByteRange, ObjectInfo } from '@image-gateway/shared/storage';
import { describe, expect, jest, test } from '@jest/globals';
import { createObjectReader } from './create-object-reader.js';

const MIB = 1024 ** 2;
const PIECE = 64 * 1024;
const INFO: ObjectInfo = {
  bytes: 0,
  contentType: 'image/png',
  etag: '',
  metadata: {},
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

async function withFakeTimers(work: () => Promise<void>): Promise<void> {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
  try {
    await work();
  } finally {
    jest.useRealTimers();
  }
}

async function takeTurns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Waits until no more of the store arrives, since nobody reads. */
async function fill(body: Readable | null): Promise<void> {
  let held = -1;
  while (body && body.readableLength > held) {
    held = body.readableLength;
    await takeTurns();
  }
}

describe('the reader of objects', () => {
  test('the reader of objects passes an object to a fast client from one request', async () => {
    const object = randomBytes(3 * MIB + 7);
    const { read, ranges } = openStore(object);
    const body = await read(part(10, object.length - 3));
    const bytes = Buffer.concat((await body?.toArray()) as Buffer[]);
    expect(bytes.equals(object.subarray(10, -2))).toBe(true);
    expect(ranges).toEqual([{ start: 10, end: object.length - 3 }]);
  });

  test.each([
    ['a moment', 90],
    ['seconds', 4_900],
  ])(
    'the reader of objects passes an object from one request to a client that falls behind for %s, and pauses the store meanwhile',
    async (_, ms) => {
      await withFakeTimers(async () => {
        const object = randomBytes(3 * MIB);
        const { read, ranges } = openStore(object);
        const body = await read(part(0, object.length - 1));
        await fill(body);
        expect(body?.readableLength).toBeGreaterThan(PIECE);
        expect(body?.readableLength).toBeLessThan(MIB / 2);
        jest.advanceTimersByTime(ms);
        const bytes = Buffer.concat((await body?.toArray()) as Buffer[]);
        expect(bytes.equals(object)).toBe(true);
        expect(ranges).toHaveLength(1);
      });
    },
  );

  test('the reader of objects holds no connection for a client that does not read, little memory, and goes on where it stopped', async () => {
    await withFakeTimers(async () => {
      const object = randomBytes(12 * MIB + 1);
      const { read, ranges, open } = openStore(object);
      const body = await read(part(0, object.length - 1));
      await fill(body);
      jest.advanceTimersByTime(5_200);
      await takeTurns();
      expect(open.size).toBe(0);
      expect(body?.readableLength).toBeLessThan(MIB / 2);
      const bytes = Buffer.concat((await body?.toArray()) as Buffer[]);
      expect(bytes.equals(object)).toBe(true);
      expect(ranges.length).toBeGreaterThan(3);
      expect(ranges.slice(1).every(({ start, end }) => end - start < MIB / 2)).toBe(true);
    });
  });

  test('the reader of objects goes on with a new request when the store ends a connection that waits for its client', async () => {
    await withFakeTimers(async () => {
      const object = randomBytes(3 * MIB);
      const { read, ranges, open } = openStore(object);
      const body = await read(part(0, object.length - 1));
      await fill(body);
      jest.advanceTimersByTime(1_000);
      for (const one of open) {
        one.destroy(new Error('cut'));
      }
      await takeTurns();
      const bytes = Buffer.concat((await body?.toArray()) as Buffer[]);
      expect(bytes.equals(object)).toBe(true);
      expect(ranges.length).toBeGreaterThan(3);
    });
  });

  test('connections that wait for their clients have no place at the store, and one address has half of them', async () => {
    await withFakeTimers(async () => {
      const object = randomBytes(3 * MIB);
      const { read, open } = openStore(object);
      const readFor = (address: string) => read({ ...part(0, object.length - 1), address });
      const bodies: (Readable | null)[] = [];
      for (let round = 0; round < 3; round++) {
        bodies.push(...(await Promise.all(Array.from({ length: 16 }, () => readFor('a')))));
        await Promise.all(bodies.map(fill));
        jest.advanceTimersByTime(200);
        await takeTurns();
      }
      expect(open.size).toBe(32);
      const other = await readFor('b');
      await fill(other);
      jest.advanceTimersByTime(200);
      await takeTurns();
      expect(open.size).toBe(33);
      for (const one of [...bodies, other]) {
        one?.destroy();
      }
      await takeTurns();
      expect(open.size).toBe(0);
    });
  });

  test('the reader of objects says that there is no object, and breaks when the store sends too little', async () => {
    const { read } = openStore(randomBytes(100));
    expect(await read({ ...part(0, 9), key: 'b' })).toBeNull();
    const body = await read(part(0, 200));
    await expect(body?.toArray()).rejects.toThrow('wrong length');
  });

  test('serves more clients than the store has places for, some of whom never read', async () => {
    await withFakeTimers(async () => {
      const object = randomBytes(5 * MIB);
      const { read, open } = openStore(object);
      const idle: (Readable | null)[] = [];
      const asked = Array.from({ length: 40 }, async () => {
        idle.push(await read(part(0, object.length - 1)));
      });
      for (let waitedMs = 0; idle.length < asked.length && waitedMs < 4_000; waitedMs += 200) {
        await takeTurns();
        await Promise.all(idle.map(fill));
        jest.advanceTimersByTime(200);
      }
      await Promise.all(asked);
      const body = await read(part(0, 1_000));
      expect((await body?.toArray())?.length).toBeGreaterThan(0);
      for (const one of idle) {
        one?.destroy();
      }
      await takeTurns();
      expect(open.size).toBe(0);
    });
  });
});
