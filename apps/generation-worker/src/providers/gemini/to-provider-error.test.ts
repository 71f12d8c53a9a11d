import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FAILURE_TRAITS } from '../failures.js';
import { getFailure, parseErrorDetails } from './to-provider-error.js';

const type = (name: string) => ({ '@type': `type.googleapis.com/google.rpc.${name}` });
const judge = (status: number, message: string, ...details: object[]) =>
  getFailure(status, parseErrorDetails({ error: { code: status, message, status: 'X', details } }));
const quotas = (...quotaIds: string[]) => ({
  ...type('QuotaFailure'),
  violations: quotaIds.map((quotaId) => ({ quotaId })),
});

describe('to provider error', () => {
  test.each([
    [400, 'Please use a valid API key.', [{ ...type('ErrorInfo'), reason: 'API_KEY_INVALID' }], 'auth'],
    [400, 'Blocked', [{ ...type('ErrorInfo'), reason: 'API_KEY_SERVICE_BLOCKED' }], 'auth'],
    [400, 'User location is not supported for the API use.', [], 'geo'],
    [400, 'Gemini API free tier is not available in your country. Please enable billing', [], 'geo'],
    [400, 'Unable to process input image. Please retry or report', [], 'doubtful-input'],
    [400, 'Request payload size exceeds the limit: 20971520 bytes.', [], 'invalid-input'],
    [400, 'Image size 4K is not supported for this model.', [], 'config-drift'],
    [400, 'Invalid JSON payload received. Unknown name "x"', [], 'config-drift'],
    [401, 'Request had invalid authentication credentials.', [], 'auth'],
    [400, 'Request contains an invalid argument.', [], 'unexplained'],
    [400, 'The input token count (40000) exceeds the maximum number of tokens (32768).', [], 'invalid-input'],
    [403, 'Permission denied', [], 'no-access'],
    [403, 'Your project has been denied access. Please contact support.', [], 'auth'],
    [403, 'Method does not allow callers without identity. Please use API Key.', [], 'auth'],
    [403, 'The caller may not use model gemini-x.', [], 'no-access'],
    [409, 'The operation was aborted.', [], 'upstream-error'],
    [418, '', [], 'upstream-error'],
    [425, '', [], 'upstream-error'],
    [499, 'The operation was cancelled.', [], 'timeout'],
    [404, 'models/x is not found', [], 'model-gone'],
    [408, '', [], 'timeout'],
    [413, '', [], 'invalid-input'],
    [429, 'Resource exhausted', [], 'rate-limit'],
    [429, 'Your prepayment credits are depleted. Please go to AI Studio', [], 'billing'],
    [429, 'Your project has exceeded its monthly spending cap.', [], 'billing'],
    [429, 'You exceeded your current quota, please check your plan and billing details.', [], 'rate-limit'],
    [429, 'Quota exceeded for metric: x, limit: 0, model: y', [], 'model-quota'],
    [429, 'Quota exceeded for metric: x, limit: 0', [], 'quota'],
    [429, 'Quota', [quotas('GenerateRequestsPerDayPerProjectPerModel')], 'model-quota'],
    [429, 'Quota', [quotas('RequestsPerDayPerModel', 'RequestsPerDayPerProject')], 'quota'],
    [
      429,
      'Quota',
      [{ ...type('QuotaFailure'), violations: [{ quotaId: 'GenerateRequestsPerDayPerProject' }] }],
      'quota',
    ],
    [
      429,
      'Quota',
      [{ ...type('QuotaFailure'), violations: [{ quotaId: 'RequestsPerMinute' }] }],
      'rate-limit',
    ],
    [500, 'Internal error', [], 'upstream-error'],
    [502, '', [], 'overload'],
    [503, 'The model is overloaded.', [], 'overload'],
    [504, 'Deadline expired', [], 'timeout'],
    [302, '', [], 'bad-response'],
  ])('an error of Gemini %d “%s” %j is %s', (status, message, details, failure) => {
    expect(judge(status, message, ...details)).toBe(failure);
  });

  test.each([
    ['Please enable billing on project 1 by visiting the console.', 'billing'],
    ['User location is not supported for the API use.', 'geo'],
  ])(
    'an error of Gemini about a condition is about money unless it names the place: %s',
    (message, failure) => {
      const error = { message, status: 'FAILED_PRECONDITION' };
      expect(getFailure(400, parseErrorDetails({ error }))).toBe(failure);
    },
  );

  test.each([
    ['37s', 37_000],
    ['0.5s', 500],
    ['3.000000001s', 3_001],
    ['37', undefined],
    ['soon', undefined],
    ['-1s', undefined],
    [37, undefined],
  ])('an error of Gemini asks for a pause in RetryInfo: %s', (retryDelay, expected) => {
    const details = [null, 7, type('Help'), { ...type('RetryInfo'), retryDelay }];
    expect(parseErrorDetails({ error: { details } }).retryAfterMs).toBe(expected);
  });

  test('an error of Gemini is read without a fault, whatever is in it', () => {
    const detail = fc.record({
      reason: fc.jsonValue(),
      violations: fc.jsonValue(),
      retryDelay: fc.jsonValue(),
    });
    const error = fc.record({ message: fc.jsonValue(), status: fc.jsonValue(), details: fc.array(detail) });
    const odd = fc.oneof(fc.jsonValue(), fc.record({ error: fc.jsonValue() }), fc.record({ error }));
    fc.assert(
      fc.property(odd, fc.integer({ min: 300, max: 999 }), (value, status) => {
        expect(FAILURE_TRAITS).toHaveProperty(getFailure(status, parseErrorDetails(value)));
      }),
    );
  });
});
