import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ProviderError } from '../failures.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { decodeJson } from '../http/json-decoder.js';
import { parseCreated, parsePoll } from './parse-response.js';

const answer = (status: number, body?: unknown): UpstreamResponse => ({
  status,
  headers: {},
  json: body === undefined ? null : decodeJson(Buffer.from(JSON.stringify(body))),
});

/** Parses the response to a poll; a failed poll returns its failure class. */
function look(given: UpstreamResponse) {
  try {
    const seen = parsePoll(given, 'p-1');
    if (seen.kind === 'done') {
      return { done: seen.result.urls };
    }
    return seen.kind === 'failed' ? { failed: seen.error.failure } : { pending: true };
  } catch (error) {
    if (!(error instanceof ProviderError)) {
      throw error;
    }
    return { lookFailed: error.failure };
  }
}

describe('a prediction', () => {
  test.each([
    [{ status: 'starting' }, { pending: true }],
    [{ status: 'processing' }, { pending: true }],
    [{ status: 'a new status' }, { pending: true }],
    [{ status: 'succeeded', output: 'https://x' }, { done: ['https://x'] }],
    [{ status: 'succeeded', output: ['https://x', 'https://y'] }, { done: ['https://x', 'https://y'] }],
    [{ status: 'succeeded', output: null }, { failed: 'no-image' }],
    [{ status: 'succeeded', output: '' }, { failed: 'no-image' }],
    [{ status: 'succeeded', output: [] }, { failed: 'no-image' }],
    [{ status: 'succeeded', output: null, data_removed: true }, { failed: 'output-expired' }],
    [{ status: 'succeeded', output: { url: 'https://x' } }, { failed: 'bad-response' }],
    [{ status: 'succeeded', output: [null, 7] }, { failed: 'bad-response' }],
    [{ status: 'failed', error: '(E005)' }, { failed: 'moderation' }],
    [{ status: 'failed', error: null }, { failed: 'upstream-error' }],
    [{ status: 'failed', error: { code: 'E005' } }, { failed: 'upstream-error' }],
    [{ status: 'succeeded', output: ['https://x', null], error: 7 }, { done: ['https://x'] }],
    [{ status: 'canceled' }, { failed: 'canceled' }],
    [{ status: 'aborted' }, { failed: 'timeout' }],
    [{ status: 7 }, { lookFailed: 'bad-response' }],
    [{}, { lookFailed: 'bad-response' }],
    [[], { lookFailed: 'bad-response' }],
    [undefined, { lookFailed: 'bad-response' }],
  ])('a prediction is what it says of itself: %j', (body, expected) => {
    expect(look(answer(200, body))).toEqual(expected);
  });

  test.each([
    [404, { failed: 'unknown' }],
    [401, { lookFailed: 'auth' }],
    [429, { lookFailed: 'rate-limit' }],
    [502, { lookFailed: 'upstream-error' }],
    [302, { lookFailed: 'bad-response' }],
  ])('a prediction is not judged by trouble with a look: %d', (status, expected) => {
    expect(look(answer(status, { status: 'failed' }))).toEqual(expected);
  });

  test('a prediction is never read with another error than ProviderError, whatever is answered', () => {
    const body = fc.record({
      status: fc.constantFrom('succeeded', 'failed'),
      output: fc.jsonValue(),
      error: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), fc.oneof(body, fc.jsonValue()), (status, value) => {
        look(answer(status, value));
      }),
    );
  });
});

describe('the answer to its creation', () => {
  test.each([{}, { id: 7 }, { id: '' }, { id: '../account' }, { id: 'a?b' }, [], 'text', undefined])(
    'the answer to its creation that was good and has no usable id may have been billed: %j',
    (body) => {
      expect(() => parseCreated(answer(201, body))).toThrow(expect.objectContaining({ failure: 'unknown' }));
    },
  );

  test.each([200, 201, 202])('the answer to its creation may be %d', (status) => {
    expect(parseCreated(answer(status, { id: 'p-1', status: 'starting' }))).toMatchObject({ id: 'p-1' });
  });

  test('the answer to its creation that refuses it was not billed', () => {
    expect(() => parseCreated(answer(402, {}))).toThrow(expect.objectContaining({ failure: 'billing' }));
  });
});
