import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FAILURE_TRAITS } from '../failures.js';
import { toProviderError } from './to-provider-error.js';

const detail = (type: string, ...loc: (string | number)[]) => ({
  detail: [{ type, msg: 'no', loc: ['body', ...loc] }],
});
const failure = (status: number, value: unknown, headers: Record<string, string> = {}) =>
  toProviderError({ status, value, headers }).failure;

describe('to provider error', () => {
  test.each([
    [422, 'content_policy_violation', 'moderation'],
    [422, 'no_media_generated', 'no-image'],
    [422, 'file_download_error', 'input-fetch'],
    [422, 'image_too_large', 'invalid-input'],
    [422, 'image_too_small', 'invalid-input'],
    [422, 'unsupported_image_format', 'invalid-input'],
    [422, 'file_too_large', 'invalid-input'],
    [422, 'face_detection_error', 'invalid-input'],
    [422, 'image_load_error', 'doubtful-input'],
    [422, 'missing', 'config-drift'],
    [422, 'literal_error', 'config-drift'],
    [422, 'extra_forbidden', 'config-drift'],
    [400, 'bad_request', 'unexplained'],
    [500, 'internal_server_error', 'upstream-error'],
    [503, 'internal_error', 'upstream-error'],
    [503, 'downstream_service_error', 'upstream-error'],
    [503, 'runner_server_error', 'upstream-error'],
    [503, 'runner_incomplete_response', 'upstream-error'],
    [499, 'client_disconnected', 'upstream-error'],
    [500, 'downstream_service_unavailable', 'overload'],
    [500, 'runner_scheduling_failure', 'overload'],
    [500, 'runner_disconnected', 'overload'],
    [500, 'runner_connection_timeout', 'overload'],
    [500, 'runner_connection_refused', 'overload'],
    [500, 'runner_connection_error', 'overload'],
    [500, 'generation_timeout', 'timeout'],
    [500, 'request_timeout', 'timeout'],
    [500, 'startup_timeout', 'timeout'],
    [499, 'client_cancelled', 'canceled'],
    [400, 'request_cancelled', 'canceled'],
  ])('an error of fal %d %s is %s, wherever the type stands', (status, type, expected) => {
    expect(failure(status, detail(type))).toBe(expected);
    expect(failure(status, { detail: 'no', error_type: type })).toBe(expected);
    expect(failure(status, { detail: 'no' }, { 'x-fal-error-type': type })).toBe(expected);
  });

  test.each([
    [400, 'unexplained'],
    [401, 'auth'],
    [402, 'billing'],
    [403, 'no-access'],
    [404, 'model-gone'],
    [408, 'timeout'],
    [409, 'upstream-error'],
    [413, 'unexplained'],
    [422, 'unexplained'],
    [499, 'timeout'],
    [429, 'rate-limit'],
    [500, 'upstream-error'],
    [502, 'upstream-error'],
    [503, 'overload'],
    [504, 'timeout'],
    [524, 'timeout'],
    [529, 'overload'],
    [302, 'bad-response'],
  ])('an error of fal %d without a type is %s', (status, expected) => {
    expect(failure(status, null)).toBe(expected);
    expect(failure(status, { detail: [{ type: 'never_heard_of' }] })).toBe(expected);
  });

  test.each([
    ['User is locked. Reason: Exhausted balance. Top up your balance.', 'billing'],
    ['This service is not available in your region.', 'geo'],
    ['Forbidden', 'no-access'],
    ['Invalid API key', 'auth'],
    ['You have no access to this model.', 'no-access'],
  ])('an error of fal 403 %j is %s', (text, expected) => {
    expect(failure(403, { detail: text })).toBe(expected);
  });

  test.each([
    [['prompt'], 'invalid-input'],
    [['image_urls', 0], 'invalid-input'],
    [['image_url'], 'invalid-input'],
    [['image_urls'], 'config-drift'],
    [['aspect_ratio'], 'config-drift'],
    [[], 'unexplained'],
  ])('an error of fal 422 of another type about %j is %s', (place, expected) => {
    expect(failure(422, detail('value_error', ...place))).toBe(expected);
  });

  test('an error of fal that speaks of a content checker in words only is a refusal', () => {
    const text =
      'The content could not be processed because it contained material flagged by a content checker.';
    expect(failure(422, { detail: text })).toBe('moderation');
  });

  test('an error of fal is quoted in short, with the id for the support and the wanted pause', () => {
    const headers = { 'retry-after': '7', 'x-fal-request-id': 'r-1' };
    const error = toProviderError({ status: 429, headers, value: { detail: 'x'.repeat(1_000) } });
    expect(error).toMatchObject({ failure: 'rate-limit', retryAfterMs: 7_000, upstreamId: 'r-1' });
    expect(error.message.length).toBeLessThan(350);
  });

  test('an error of fal is one of the vocabulary for every answer', () => {
    const body = fc.record(
      {
        detail: fc.oneof(fc.anything(), fc.array(fc.record({ type: fc.anything(), loc: fc.anything() }))),
        error_type: fc.oneof(fc.anything(), fc.constantFrom('constructor', '__proto__', 'toString')),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), fc.oneof(body, fc.anything()), (status, value) => {
        expect(Object.keys(FAILURE_TRAITS)).toContain(failure(status, value));
      }),
    );
  });
});
