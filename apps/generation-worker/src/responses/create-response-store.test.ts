import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger } from '@image-gateway/shared/logging';
import { createMetrics } from '@image-gateway/shared/metrics';
import { createSpool, type Spool } from '@image-gateway/shared/spool';
import { eventually } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createPlainDecoder } from '../providers/http/create-upstream.js';
import { createJsonDecoder } from '../providers/http/json-decoder.js';
import type { BodyDecoder, ResponseBody } from '../providers/port.js';
import { type CallRoom, createResponseStore, type ResponseStore } from './create-response-store.js';

const MIB = 1024 ** 2;
const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
const owner = (key = 'a', { signal = new AbortController().signal, bytes = 48 * MIB } = {}) => ({
  key,
  signal,
  bytes,
});
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
async function writeTo(body: ResponseBody, bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 65_536) {
    await body.write(bytes.subarray(at, at + 65_536));
  }
}
const begin = (room: CallRoom): { body: ResponseBody; decoder: BodyDecoder } => {
  const decoder = createPlainDecoder();
  return { decoder, body: room.receive(decoder) };
};
/** Takes all memory of a store, until the returned room is closed. */
async function fill(responses: ResponseStore, bytes = 48 * MIB): Promise<CallRoom> {
  const room = await responses.open(owner('filler', { bytes }));
  const { body } = begin(room);
  body.expect(8 * MIB);
  await writeTo(body, randomBytes(8 * MIB));
  await body.finish();
  return room;
}
/** A spool whose disk is full after so many appends. */
const failingAfter = (appends: number): Spool => ({
  open: async () => {
    const file = await disk.spool.open();
    let left = appends;
    return { ...file, append: async (chunks) => left-- > 0 && file.append(chunks) };
  },
});

describe('create response store', () => {
  const json = (image: Buffer) => Buffer.from(JSON.stringify({ id: 'a', data: image.toString('base64') }));
  test.each([
    ['a small one', () => disk.spool, randomBytes(1_000), false],
    ['a large one', () => disk.spool, LARGE, false],
    ['a large one that waits for memory', () => disk.spool, LARGE, true],
    ['one that finds the disk full', () => failingAfter(0), LARGE, true],
    ['one that fills the disk halfway', () => failingAfter(3), LARGE, true],
  ])('the room for responses returns every response as it came: %s', async (_, spool, bytes, waits) => {
    for (const announced of [null, bytes.length]) {
      const responses = store(spool());
      const filler = waits ? await fill(responses) : null;
      const room = await responses.open(owner());
      const { body, decoder } = begin(room);
      body.expect(announced);
      const finished = writeTo(body, bytes).then(body.finish);
      await new Promise((resolve) => setTimeout(resolve, 20));
      filler?.close(false);
      await finished;
      expect(decoder.bytes().equals(bytes)).toBe(true);
      expect(disk.bytes).toBe(0);
      await body.close();
      room.close(false);
    }
  });

  test('the room for responses touches no disk while half of its memory is free', async () => {
    const open = jest.fn(disk.spool.open);
    const responses = store({ open });
    const room = await responses.open(owner());
    const { body } = begin(room);
    body.expect(LARGE.length);
    await writeTo(body, LARGE);
    await body.finish();
    expect(open).not.toHaveBeenCalled();
    room.close(false);
  });

  test('the room for responses needs no more memory than the image of a response has', async () => {
    const image = randomBytes(4 * MIB - 64 * 1024);
    const text = json(image);
    const open = jest.fn(disk.spool.open);
    const responses = store({ open });
    const room = await responses.open(owner());
    const decoder = createJsonDecoder();
    const body = room.receive(decoder);
    body.expect(text.length);
    await writeTo(body, text);
    await body.finish();
    const { value, decodeBytes } = decoder.parse();
    expect((await decodeBytes((value as { readonly data: string }).data)).equals(image)).toBe(true);
    expect(open).not.toHaveBeenCalled();
    room.close(false);
  });

  test.each([
    ['stored: their memory is free at once', true, 0],
    ['not all stored: something may still read them', false, LARGE.length],
  ])('the images of a call that ends are %s', async (_, isStored, left) => {
    const responses = store();
    const room = await responses.open(owner());
    const { body, decoder } = begin(room);
    // Without its length a response moves to larger memory on its way.
    await writeTo(body, LARGE);
    await body.finish();
    const image = decoder.bytes();
    room.close(isStored);
    expect(image.length).toBe(left);
  });

  test('the room for responses parks what arrives on disk when it grows beyond the free memory, and decodes on', async () => {
    const responses = store();
    const other = await responses.open(owner('b'));
    const first = begin(other);
    first.body.expect(MIB);
    await writeTo(first.body, randomBytes(MIB));
    const image = randomBytes(4 * MIB);
    const room = await responses.open(owner('a'));
    const decoder = createJsonDecoder();
    const body = room.receive(decoder);
    const text = json(image);
    await writeTo(body, text.subarray(0, 4 * MIB));
    expect(disk.bytes).toBeGreaterThan(MIB);
    await writeTo(body, text.subarray(4 * MIB));
    await body.finish();
    const { value, decodeBytes } = decoder.parse();
    const { id, data } = value as { readonly id: string; readonly data: string };
    expect([id, (await decodeBytes(data)).equals(image), disk.bytes]).toEqual(['a', true, 0]);
    room.close(false);
    other.close(false);
  });

  test('the room for responses leaves half of its memory to whole ones, however long others take to arrive', async () => {
    const responses = store();
    const opened = Array.from({ length: 6 }, (_, i) => responses.open(owner(`slow ${i}`)));
    const slow = (await Promise.all(opened)).map(begin);
    for (const { body } of slow) {
      body.expect(LARGE.length);
      await writeTo(body, LARGE.subarray(0, MIB));
    }
    const room = await responses.open(owner('whole'));
    const { body, decoder } = begin(room);
    await writeTo(body, LARGE);
    await body.finish();
    expect(decoder.bytes().equals(LARGE)).toBe(true);
    room.close(false);
    await Promise.all(slow.map((one) => one.body.close()));
  });

  test('the room for responses reads responses to their end while others hold all memory, and hands them out when it is free', async () => {
    const responses = store();
    const filler = await fill(responses);
    const room = await responses.open(owner('b'));
    const { body, decoder } = begin(room);
    await writeTo(body, LARGE);
    let loaded = false;
    const second = body.finish().then(() => {
      loaded = true;
    });
    await eventually(async () => expect(disk.bytes).toBe(LARGE.length));
    expect([loaded, decoder.bytes().length]).toEqual([false, 0]);
    filler.close(false);
    await second;
    expect(disk.bytes).toBe(0);
    room.close(false);
  });

  test('the room for responses leaves neither memory nor disk behind when a call is stopped while it waits', async () => {
    const responses = store();
    const filler = await fill(responses);
    const ending = new AbortController();
    const stopped = await responses.open(owner('b', { signal: ending.signal }));
    const { body } = begin(stopped);
    await writeTo(body, LARGE);
    const waiting = body.finish();
    ending.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await body.close();
    stopped.close(false);
    filler.close(false);
    (await fill(responses)).close(false);
    await eventually(async () => expect(disk.bytes).toBe(0));
  });

  test('the room for responses is reserved for the largest response to expect of each call', async () => {
    const responses = store(disk.spool, 100 * MIB);
    const [first, second] = await Promise.all([
      responses.open(owner('a', { bytes: 60 * MIB })),
      responses.open(owner('b', { bytes: 40 * MIB })),
    ]);
    let admitted = false;
    const third = responses.open(owner('c', { bytes: 60 * MIB })).then(() => {
      admitted = true;
    });
    second.close(false);
    await new Promise((resolve) => setImmediate(resolve));
    expect(admitted).toBe(false);
    first.close(false);
    await third;
  });

  test('the room for responses takes what nobody has reserved for a response that is larger than expected, and gives it back', async () => {
    const responses = store(disk.spool, 13 * MIB);
    const filler = await fill(responses, 8 * MIB);
    const room = await responses.open(owner('b', { bytes: MIB }));
    const { body, decoder } = begin(room);
    await writeTo(body, LARGE);
    await eventually(async () => expect(disk.bytes).toBe(LARGE.length));
    filler.close(false);
    await body.finish();
    expect(decoder.bytes().equals(LARGE)).toBe(true);
    room.close(false);
    (await responses.open(owner('c', { bytes: 13 * MIB }))).close(false);
  });

  test('the room for responses takes nothing that another call has reserved: a response that is larger than expected waits for memory', async () => {
    const responses = store(disk.spool, 12 * MIB);
    const filler = await fill(responses, 8 * MIB);
    const reserved = await responses.open(owner('c', { bytes: 3 * MIB }));
    const room = await responses.open(owner('b', { bytes: MIB }));
    const { body, decoder } = begin(room);
    const written = writeTo(body, LARGE);
    await eventually(async () => expect(disk.bytes).toBe(MIB));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(disk.bytes).toBe(MIB);
    const other = begin(reserved);
    await writeTo(other.body, LARGE);
    expect(disk.bytes).toBe(MIB + LARGE.length);
    filler.close(false);
    await written;
    await body.finish();
    expect(decoder.bytes().equals(LARGE)).toBe(true);
    room.close(false);
    await other.body.finish();
    expect(other.decoder.bytes().equals(LARGE)).toBe(true);
    reserved.close(false);
  });
});
