import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FAILURE_TRAITS, type ProviderFailure } from '../failures.js';
import { getFailure, parseErrorDetails } from './to-provider-error.js';

const judge = (status: number, error: object) => getFailure(status, parseErrorDetails({ error }));

const MEANINGS: Readonly<Partial<Record<ProviderFailure, readonly string[]>>> = {
  moderation: ['content_policy_violation', 'refusal'],
  'invalid-input': ['invalid_image', 'image_too_large', 'image_too_small', 'unsupported_image_format'],
  'input-fetch': ['image_download_failed', 'image_not_found'],
  'model-gone': ['model_not_found', 'no_endpoints', 'model_deprecated', 'model_unavailable_upstream'],
  'config-drift': ['wrong_endpoint', 'privacy_restricted', 'constraint_filtered'],
  unexplained: ['invalid_request'],
  'no-access': ['region_restricted', 'permission_denied'],
  auth: ['authentication'],
  billing: ['payment_required'],
  'rate-limit': ['rate_limit_exceeded', 'capacity_exhausted'],
  overload: ['provider_overloaded', 'temporarily_unavailable'],
  'upstream-error': ['provider_unavailable', 'server', 'unmapped'],
  timeout: ['timeout'],
};
const MORE = [
  ['payload_too_large', 'invalid-input'],
  ['string_too_long', 'invalid-input'],
  ['context_length_exceeded', 'invalid-input'],
  ['token_limit_exceeded', 'billing'],
  ['free_variant_ended', 'model-gone'],
  ['unprocessable', 'unexplained'],
] as const;
const keys = [
  ...Object.entries(MEANINGS).flatMap(([failure, names]) => names.map((name) => [name, failure] as const)),
  ...MORE,
];

describe('to provider error', () => {
  test.each(keys)(
    'an error of OpenRouter means the same in any of its shapes and under any status: %s is %s',
    (key, failure) => {
      expect(judge(418, { code: 418, metadata: { error_type: key } })).toBe(failure);
      expect(judge(418, { error_type: key, http_status: 418 })).toBe(failure);
      expect(judge(418, { error_type: 'not_known', availability: { code: key } })).toBe(failure);
      expect(
        getFailure(200, parseErrorDetails({ choices: [{ error: { metadata: { error_type: key } } }] })),
      ).toBe(failure);
    },
  );

  test('an error of OpenRouter is read from the most exact to the least: moderation, availability, type, status', () => {
    const availability = { code: 'region_restricted' };
    const type = { error_type: 'permission_denied' };
    expect(judge(403, { metadata: { ...type, reasons: ['violence'] }, availability })).toBe('moderation');
    expect(judge(403, { metadata: { ...type, flagged_input: 'x' } })).toBe('moderation');
    expect(judge(403, { metadata: { ...type, patterns: ['x'] } })).toBe('moderation');
    expect(judge(403, { message: 'Request blocked by a guardrail of this key' })).toBe('moderation');
    expect(judge(403, { message: 'Request blocked by a guardrail of this key', metadata: type })).toBe(
      'moderation',
    );
    expect(judge(403, { message: 'Request blocked: injection detected', metadata: type })).toBe('moderation');
    expect(judge(403, { message: 'This key may not do that' })).toBe('auth');
    for (const metadata of [{}, type]) {
      expect(judge(403, { message: 'Key limit exceeded (total limit).', metadata })).toBe('billing');
      expect(judge(403, { message: 'Request blocked by a guardrail: daily budget', metadata })).toBe(
        'billing',
      );
      expect(judge(403, { message: 'The model is not in a list of the guardrail', metadata })).toBe(
        'no-access',
      );
    }
    expect(judge(403, { metadata: { ...type, reasons: null }, availability })).toBe('no-access');
    expect(judge(402, { metadata: type })).toBe('no-access');
    expect(judge(402, { metadata: { error_type: 'toString' } })).toBe('billing');
  });

  test.each([
    [401, 'auth'],
    [402, 'billing'],
    [404, 'model-gone'],
    [408, 'timeout'],
    [413, 'invalid-input'],
    [409, 'upstream-error'],
    [422, 'unexplained'],
    [429, 'rate-limit'],
    [500, 'upstream-error'],
    [502, 'upstream-error'],
    [503, 'overload'],
    [524, 'timeout'],
    [529, 'overload'],
  ])('an error of OpenRouter means what its status says when it has no type: %d is %s', (status, failure) => {
    expect(getFailure(status, null)).toBe(failure);
    expect(getFailure(200, parseErrorDetails({ error: { code: status, message: '' } }))).toBe(failure);
    expect(getFailure(200, parseErrorDetails({ error: { http_status: status } }))).toBe(failure);
  });

  test('an error of OpenRouter is an overload when the provider behind it says so', () => {
    expect(judge(502, { message: 'Upstream error from Google: The model is overloaded.' })).toBe('overload');
    expect(judge(400, { message: 'an overloaded function' })).toBe('unexplained');
    expect(judge(400, { message: "Unsupported parameter: 'seed'" })).toBe('config-drift');
  });

  test('a model that OpenRouter calls available again is no missing one', () => {
    const gone = (code: string, retryable: unknown) =>
      judge(404, { error_type: 'not_found', availability: { code, retryable } });
    expect(gone('no_endpoints', true)).toBe('overload');
    expect(gone('model_unavailable_upstream', true)).toBe('overload');
    expect(gone('no_endpoints', false)).toBe('model-gone');
    expect(gone('no_endpoints', 'true')).toBe('model-gone');
  });

  test('an error of OpenRouter is a bad answer when nothing can be made of it', () => {
    expect(getFailure(200, null)).toBe('bad-response');
    expect(judge(200, {})).toBe('bad-response');
    expect(getFailure(302, null)).toBe('bad-response');
  });

  test('an error of OpenRouter asks for a pause in seconds', () => {
    expect(parseErrorDetails({ error: { availability: { retry_after: 40 } } })?.retryAfterMs).toBe(40_000);
    for (const odd of [-1, '40', null, undefined, {}, Number.POSITIVE_INFINITY]) {
      expect(
        parseErrorDetails({ error: { availability: { retry_after: odd } } })?.retryAfterMs,
      ).toBeUndefined();
    }
  });

  test('an error of OpenRouter is read without a fault, whatever is in it', () => {
    const inner = { metadata: fc.jsonValue(), availability: fc.jsonValue(), code: fc.jsonValue() };
    const error = fc.record({ ...inner, message: fc.jsonValue(), error_type: fc.jsonValue() });
    const odd = fc.oneof(fc.jsonValue(), fc.record({ error }), fc.record({ choices: fc.jsonValue() }));
    fc.assert(
      fc.property(odd, fc.integer({ min: 200, max: 999 }), (value, status) => {
        expect(FAILURE_TRAITS).toHaveProperty(getFailure(status, parseErrorDetails(value)));
      }),
    );
  });
});
