import { Readable } from 'node:stream';
import { createSemaphore } from '@image-gateway/shared/concurrency';
import { describe, expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { createJsonReader } from './json-body.js';
import { setState } from './request-state.js';
import { createStrangers } from './strangers.js';

/** Request whose body begins to come when it is read, and ends when `finish` is called. */
function createRequest(bytes: number) {
  const text = JSON.stringify('x'.repeat(bytes - 2));
  const source = new Readable({ read: () => undefined });
  const request = Object.assign(source, {
    headers: { 'content-type': 'application/json', 'content-length': String(bytes) },
    is: () => 'application/json',
  }) as unknown as Request;
  setState(request, { id: 'req', address: '192.0.2.1', startedAt: 0, logger: () => ({}) as never });
  const finish = (): void => {
    source.push(text);
    source.push(null);
  };
  return { request, finish };
}

describe('bodies under way', () => {
  test('bodies under way wait for the bytes of others when the budget is used up, and lose nothing', async () => {
    const readJson = createJsonReader({
      budget: createSemaphore({ permits: 1_000 }),
      strangers: createStrangers(),
    });
    const [first, second] = [createRequest(800), createRequest(800)];
    const reading = readJson(first.request, {} as Response, { isKnown: true });
    const waiting = readJson(second.request, {} as Response, { isKnown: true });
    await new Promise((resolve) => setImmediate(resolve));
    expect([first.request.listenerCount('data'), second.request.listenerCount('data')]).toEqual([1, 0]);
    first.finish();
    expect(await reading).toHaveLength(798);
    second.finish();
    expect(await waiting).toHaveLength(798);
  });

  test.each([
    ['before its body is read', false],
    ['while it waits for the budget', true],
  ])('bodies under way give their bytes back when the client leaves %s', async (_when, isWaiting) => {
    const readJson = createJsonReader({
      budget: createSemaphore({ permits: 1_000 }),
      strangers: createStrangers(),
    });
    const [first, gone, next] = [createRequest(800), createRequest(800), createRequest(800)];
    const before = isWaiting ? readJson(first.request, {} as Response, { isKnown: true }) : null;
    const leaves = async (): Promise<void> => {
      gone.request.destroy();
      await new Promise((resolve) => setImmediate(resolve));
    };
    if (!isWaiting) {
      await leaves();
    }
    const reading = readJson(gone.request, {} as Response, { isKnown: true });
    const refused = expect(reading).rejects.toThrow('the request was cut off');
    if (isWaiting) {
      await leaves();
      first.finish();
      await before;
    }
    await refused;
    const after = readJson(next.request, {} as Response, { isKnown: true });
    next.finish();
    expect(await after).toHaveLength(798);
  });
});
