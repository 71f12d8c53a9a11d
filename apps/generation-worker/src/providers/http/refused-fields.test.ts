import { describe, expect, test } from '@jest/globals';
import { toProviderError as fal } from '../fal/to-provider-error.js';
import { toProviderError as gemini } from '../gemini/to-provider-error.js';
import { toProviderError as openrouter } from '../openrouter/to-provider-error.js';
import { toProviderError as replicate } from '../replicate/to-provider-error.js';
import { toProviderError as task } from '../task/to-provider-error.js';

const respond = (value: unknown, status = 400) => ({ status, headers: {}, json: { value } as never });

describe('a field that an upstream refuses', () => {
  test.each([
    [
      'seed',
      true,
      'Invalid JSON payload received. Unknown name "seed" at \'generation_config\': Cannot find field.',
    ],
    ['seed', false, "Invalid value at 'generation_config.seed' (TYPE_INT32), 4294967295"],
  ])('Gemini names %s in its text', (name, isUnknown, message) => {
    const error = { code: 400, message, status: 'INVALID_ARGUMENT' };
    expect(gemini(respond({ error }), null).field).toEqual({ name, isUnknown });
  });

  test.each([
    ['seed', true, { loc: ['body', 'seed'], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }],
    [
      'output_format',
      false,
      { loc: ['body', 'output_format'], msg: 'unexpected value', type: 'literal_error' },
    ],
  ])('fal names the place of %s', (name, isUnknown, detail) => {
    expect(fal({ status: 422, headers: {}, value: { detail: [detail] } }).field).toEqual({ name, isUnknown });
  });

  test('Replicate names it below the input', () => {
    const value = {
      title: 'Input validation failed',
      invalid_fields: [{ field: 'input.output_format', description: 'x' }],
    };
    expect(replicate({ status: 422, headers: {}, value }, 'prediction').field).toEqual({
      name: 'output_format',
      isUnknown: false,
    });
  });

  test('OpenRouter names it in its text', () => {
    const error = { code: 400, message: "Unsupported parameter: 'background' for this model" };
    expect(openrouter(respond({ error }), null).field).toEqual({ name: 'background', isUnknown: true });
  });

  test.each(['seed must be absent: no route of this model takes it.', "Unknown parameter: 'seed'"])(
    'a task API names it in its text: %s',
    (message) => {
      expect(task({}, respond({ error: { message } }), null).field?.name).toBe('seed');
    },
  );

  test('is none where the request is refused for another reason', () => {
    const error = { code: 400, message: 'API key not valid', status: 'INVALID_ARGUMENT' };
    expect(gemini(respond({ error }), null).field).toBeNull();
    const detail = [{ loc: ['body', 'prompt'], msg: 'x', type: 'content_policy_violation' }];
    expect(fal({ status: 422, headers: {}, value: { detail } }).field).toBeNull();
  });
});
