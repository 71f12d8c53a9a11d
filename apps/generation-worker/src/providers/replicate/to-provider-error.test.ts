import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FAILURE_TRAITS } from '../failures.js';
import { toPredictionError, toProviderError } from './to-provider-error.js';

const failure = (status: number, value: unknown = null, call: 'prediction' | 'upload' = 'prediction') =>
  toProviderError({ status, headers: {}, value }, call).failure;
const fields = (...names: unknown[]) => ({
  title: 'Input validation failed',
  invalid_fields: names.map((field) => ({ field })),
});

describe('an error of the API of Replicate', () => {
  test.each([
    [400, 'unexplained'],
    [401, 'auth'],
    [402, 'billing'],
    [403, 'no-access'],
    [404, 'model-gone'],
    [408, 'timeout'],
    [409, 'upstream-error'],
    [422, 'unexplained'],
    [429, 'rate-limit'],
    [500, 'upstream-error'],
    [502, 'upstream-error'],
    [503, 'overload'],
    [504, 'timeout'],
    [524, 'timeout'],
    [529, 'overload'],
    [302, 'bad-response'],
  ])('an error of the API of Replicate %d is %s', (status, expected) => {
    expect(failure(status)).toBe(expected);
  });

  test.each([
    [{ title: 'Invalid version or not permitted' }, 'model-gone'],
    [fields('input.prompt'), 'invalid-input'],
    [fields('input.image_input'), 'invalid-input'],
    [fields('input.image_input.0'), 'invalid-input'],
    [fields('input.prompt', 'input.aspect_ratio'), 'config-drift'],
    [fields('input.aspect_ratio'), 'config-drift'],
    [fields('input.prompt_strength'), 'config-drift'],
    [fields(7), 'config-drift'],
    [fields(), 'unexplained'],
  ])('an error of the API of Replicate 422 %j is %s', (body, expected) => {
    expect(failure(422, body)).toBe(expected);
  });

  test('an error of the API of Replicate 403 that speaks of a region is about where we are, not about the key', () => {
    expect(failure(403, { detail: 'This is not available in your country.' })).toBe('geo');
  });

  test('a missing list of files is no missing model', () => {
    expect(failure(404, null, 'upload')).toBe('config-drift');
  });

  test.each([
    [{ 'retry-after': '7' }, { retry_after: 9 }, 7_000],
    [{}, { retry_after: 9 }, 9_000],
    [{}, { retry_after: 'soon' }, undefined],
    [{}, { retry_after: -1 }, undefined],
  ])('an error of the API of Replicate says when to come again: %j %j', (headers, value, retryAfterMs) => {
    expect(toProviderError({ status: 429, headers, value }, 'prediction')).toMatchObject({ retryAfterMs });
  });

  test('an error of the API of Replicate is quoted in short', () => {
    const value = { title: 'x'.repeat(1_000), detail: 7 };
    expect(toProviderError({ status: 400, headers: {}, value }, 'poll').message.length).toBeLessThan(350);
  });

  test('an error of the API of Replicate is one of the vocabulary for every answer', () => {
    const body = fc.record({ title: fc.anything(), detail: fc.anything(), invalid_fields: fc.anything() });
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), fc.oneof(body, fc.anything()), (status, value) => {
        expect(Object.keys(FAILURE_TRAITS)).toContain(failure(status, value));
      }),
    );
  });
});

describe('the error of a prediction', () => {
  test.each([
    ['Insufficient credits. (E001)', 'overload'],
    ['No key (E002)', 'overload'],
    ['High demand (E003)', 'overload'],
    ['Temporarily unavailable, for your safety (E004)', 'overload'],
    ['The input or output was flagged as sensitive. (E005) (uIJ6l3ruRD)', 'moderation'],
    ['Try something else (E005)', 'moderation'],
    ['The input was invalid, or flagged (E006)', 'invalid-input'],
    ['Flagged as unknown (E1000)', 'upstream-error'],
    ['Out of memory, no image (E1001)', 'upstream-error'],
    ['This was FLAGGED by our filters', 'moderation'],
    ['Sensitive content', 'moderation'],
    ['Blocked by the safety system', 'moderation'],
    ['Rejected by moderation', 'moderation'],
    ['Prohibited content', 'moderation'],
    ['NSFW', 'moderation'],
    ['The prompt violates content policy', 'moderation'],
    ['Flagged (E9999)', 'moderation'],
    ['Failed to generate image. The model returned no image data.', 'no-image'],
    ['The model did not return an image', 'no-image'],
    ['Prediction interrupted; please retry (code: PA)', 'upstream-error'],
    ['TypeError: insensitive', 'upstream-error'],
    ['RuntimeError: safety module not loaded', 'upstream-error'],
    ['KeyError: moderation_threshold', 'upstream-error'],
    ['Input image too large, no image', 'invalid-input'],
    ['Blocked by the safety filter', 'moderation'],
    ['', 'upstream-error'],
  ])('the error of a prediction: %j is %s', (error, expected) => {
    expect(toPredictionError(error, 'p-1')).toMatchObject({ failure: expected, upstreamId: 'p-1' });
  });

  test('the error of a prediction is quoted in short', () => {
    expect(toPredictionError('x'.repeat(5_000), 'p-1').message.length).toBeLessThan(350);
  });
});
