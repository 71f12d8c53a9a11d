import { describe, expect, test } from '@jest/globals';
import { getFailure, isError, parseErrorDetails, toProviderError } from './to-provider-error.js';

const read = (status: number, value: unknown) => getFailure(status, parseErrorDetails(value));
const error = (fields: object) => ({
  error: { message: '', type: 'invalid_request_error', param: null, ...fields },
});

describe('an error', () => {
  test.each([
    ['moderation', 400, error({ code: 'moderation_blocked' })],
    ['moderation', 400, error({ code: 'content_policy_violation' })],
    ['moderation', 400, error({ message: 'Your request was rejected by our safety system.' })],
    ['moderation', 400, error({ code: 'content_filter' })],
    ['moderation', 400, { error: 'Generated image rejected by content moderation.' }],
    ['billing', 429, error({ code: 'insufficient_quota' })],
    ['billing', 429, error({ type: 'insufficient_quota' })],
    ['billing', 400, error({ code: 'billing_hard_limit_reached' })],
    ['billing', 400, error({ type: 'billing_limit_user_error' })],
    ['billing', 429, error({ code: 'billing_not_active' })],
    ['geo', 403, error({ code: 'unsupported_country_region_territory' })],
    ['model-gone', 404, error({ code: 'model_not_found' })],
    ['no-access', 403, error({ code: 'model_not_found' })],
    [
      'no-access',
      403,
      error({ message: 'Your organization must be verified to use the model `gpt-image-2.6-flare`.' }),
    ],
    ['no-access', 403, error({ message: 'Forbidden' })],
    ['no-access', 403, error({ message: 'This model is not available in your region.' })],
    ['geo', 403, error({ message: 'Country not supported' })],
    ['model-gone', 400, error({ code: 'invalid_value', param: 'model' })],
    ['config-drift', 400, error({ code: 'unknown_parameter', param: 'image_style' })],
    ['config-drift', 400, error({ code: 'missing_required_parameter', param: 'image' })],
    ['config-drift', 400, error({ code: 'duplicate_parameter', param: 'image' })],
    ['config-drift', 400, error({ code: 'invalid_value', param: 'size' })],
    ['doubtful-input', 400, error({ code: 'invalid_image_file', param: 'image' })],
    ['doubtful-input', 400, error({ code: 'invalid_image_file', type: 'image_generation_user_error' })],
    ['invalid-input', 400, error({ code: null, type: 'image_generation_user_error' })],
    ['moderation', 400, error({ code: 'moderation_blocked', type: 'image_generation_user_error' })],
    ['invalid-input', 400, error({ code: 'string_above_max_length' })],
    ['unexplained', 400, error({ code: null })],
    ['unexplained', 422, { detail: 'no' }],
    ['upstream-error', 409, error({})],
    ['upstream-error', 425, error({})],
    ['timeout', 499, error({})],
    ['config-drift', 405, null],
    ['invalid-input', 400, error({ code: 'string_above_max_length', param: 'prompt' })],
    ['invalid-input', 413, null],
    ['auth', 401, { error: 'Unauthorized' }],
    ['auth', 403, error({ message: 'Your organization must be verified' })],
    ['rate-limit', 429, error({ code: 'rate_limit_exceeded' })],
    ['overload', 503, error({})],
    ['timeout', 504, '<html>'],
    ['upstream-error', 500, error({ message: 'CUDA out of memory', code: 500 })],
    ['config-drift', 422, { detail: [{ loc: ['body', 'n'], type: 'less_than_equal', msg: '' }] }],
    ['config-drift', 422, { detail: [{ loc: ['body', 'image'], type: 'missing', msg: '' }] }],
    ['config-drift', 422, { detail: [{ loc: ['body', 'prompt'], type: 'extra_forbidden', msg: '' }] }],
    [
      'invalid-input',
      422,
      { detail: [{ loc: ['body', 'negative_prompt'], type: 'string_too_long', msg: '' }] },
    ],
    ['invalid-input', 422, { detail: [{ loc: ['body', 'image', 0], type: 'value_error', msg: '' }] }],
    ['bad-response', 302, null],
    // Some servers and resellers answer errors with status 200.
    ['moderation', 200, error({ code: 'moderation_blocked' })],
    ['billing', 200, error({ code: 'insufficient_quota' })],
    ['billing', 200, error({ type: 'new_api_error', message: 'Insufficient account balance' })],
    ['auth', 200, error({ code: 'invalid_api_key' })],
    ['model-gone', 200, error({ code: 'model_not_found' })],
    ['rate-limit', 200, error({ type: 'requests', code: 'rate_limit_exceeded' })],
    ['rate-limit', 200, error({ code: 429, type: 'one_api_error' })],
    ['overload', 200, error({ code: '503', type: 'upstream_error' })],
    ['upstream-error', 200, error({ type: 'server_error' })],
    ['config-drift', 200, error({ code: 'unknown_parameter', param: 'style' })],
    ['doubtful-input', 200, error({ code: 'invalid_image_file', param: 'image' })],
    ['unexplained', 200, error({ code: 'odd' })],
    ['no-access', 200, error({ type: 'permission_error' })],
    ['bad-response', 200, error({ type: 'odd', message: 'something broke' })],
    ['bad-response', 200, { error: 'text' }],
  ] as const)('means %s: %i %j', (failure, status, value) => {
    expect(read(status, value)).toBe(failure);
  });

  test('an error of a server that broke is not taken for a refusal by what it says', () => {
    expect(read(500, error({ param: 'model', code: 'moderation_blocked' }))).toBe('upstream-error');
  });
});

describe('a body that is an error', () => {
  test.each([[error({})], [{ error: 'text' }], [{ error: { message: 'x' }, data: null }]])(
    'is %j',
    (value) => {
      expect(isError(value)).toBe(true);
    },
  );

  test.each([
    [{ data: [], error: null }],
    [{ data: [{}], error: { message: 'x' } }],
    [{}],
    [null],
    [{ error: '' }],
  ])('is not %j', (value) => {
    expect(isError(value)).toBe(false);
  });
});

describe('a field that an error names', () => {
  const read = (status: number, value: unknown) =>
    toProviderError({ status, headers: {}, json: { value } as never }, null).field;

  test.each([
    [
      'style',
      true,
      400,
      error({ code: 'unknown_parameter', param: 'style', message: "Unknown parameter: 'style'." }),
    ],
    [
      'quality',
      false,
      400,
      error({ code: 'invalid_value', param: 'quality', message: "Invalid value: 'max'." }),
    ],
    ['quality', false, 400, error({ code: 'unsupported_value', param: 'quality' })],
    [
      'background',
      true,
      422,
      { detail: [{ loc: ['body', 'background'], type: 'extra_forbidden', msg: '' }] },
    ],
  ] as const)('is %s', (name, isUnknown, status, value) => {
    expect(read(status, value)).toEqual({ name, isUnknown });
  });

  test.each([
    [400, error({ code: 'moderation_blocked', param: 'prompt' })],
    [400, error({ code: 'invalid_image_file', param: 'image' })],
    [500, error({ param: 'quality' })],
    [400, error({})],
  ])('is none: %i %j', (status, value) => {
    expect(read(status, value)).toBeNull();
  });
});

describe('what an error says', () => {
  test.each([
    ['Please try again in 12s.', 12_000],
    ['Please try again in 1m30.5s.', 90_500],
    ['Please try again in 250ms.', 250],
    ['Please try again in 2m.', 120_000],
    ['Please try again later.', undefined],
  ])('what an error says about how long to wait is understood: %s', (message, ms) => {
    expect(parseErrorDetails(error({ message })).retryAfterMs).toBe(ms);
  });

  test('what an error says is found in every shape of an error', () => {
    expect(parseErrorDetails({ error: 'Unauthorized' }).message).toBe('Unauthorized');
    expect(parseErrorDetails({ detail: 'Not Found' }).message).toBe('Not Found');
    expect(parseErrorDetails({ detail: [{ msg: 'too many', loc: ['body', 'n'] }] })).toMatchObject({
      message: 'too many',
      param: 'n',
    });
    expect(parseErrorDetails({ object: 'error', message: 'gone', code: 'model_not_found' })).toMatchObject({
      message: 'gone',
      code: 'model_not_found',
    });
  });

  test.each([
    [null],
    [undefined],
    ['text'],
    [7],
    [[]],
    [{ error: null }],
    [{ error: [] }],
    [{ error: { code: {}, param: [] } }],
    [{ detail: [null] }],
    [{ detail: [{ loc: {}, msg: 7 }] }],
    [{ detail: {} }],
  ])('what an error says may be nonsense: %j', (value) => {
    expect(parseErrorDetails(value)).toMatchObject({
      code: '',
      param: '',
      message: '',
      retryAfterMs: undefined,
    });
  });
});
