import type { Violation } from '../core/check-fields.js';
import type { StubResponse } from '../core/stub-response.js';

const TYPES = {
  unknown: 'extra_forbidden',
  missing: 'missing',
  type: 'type_error',
  enum: 'literal_error',
  range: 'value_error',
  length: 'string_too_long',
} as const;

/** What FastAPI says about fields that a server does not take. */
export function compatibleViolations(violations: readonly Violation[]): StubResponse {
  return {
    status: 422,
    body: {
      detail: violations.map(({ path, fault, value }) => ({
        type: TYPES[fault],
        loc: ['body', ...path],
        msg: fault === 'missing' ? 'Field required' : 'Input should be valid',
        input: value,
      })),
    },
  };
}
