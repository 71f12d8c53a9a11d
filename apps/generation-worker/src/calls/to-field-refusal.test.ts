import { describe, expect, test } from '@jest/globals';
import { ProviderError } from '../providers/failures.js';
import type { RequestFields } from '../providers/port.js';
import type { FieldTask } from '../routing/choose-fields.js';
import { toFieldRefusal } from './to-field-refusal.js';

const task: FieldTask = {
  ...({ type: 'image_edit', negativePrompt: null, quality: null, seed: 3, background: null } as const),
  outputFormat: null,
  mask: 'input:up_1',
  wishes: { style: 'vivid' },
};
const image = { bytes: Buffer.from('x'), contentType: 'image/png', width: 1, height: 1 } as const;
const fields: RequestFields = { seed: 4, style: 'vivid', mask: image, outputFormat: 'png' };
const refused = (name: string, isUnknown = false) =>
  toFieldRefusal(
    new ProviderError('config-drift', 'no', { field: { name, isUnknown }, upstreamId: 'req_1' }),
    task,
    fields,
  );

describe('an error that names a field', () => {
  test('an error that names a field which the task requires ends the route for it', () => {
    const found = refused('seed', true);
    expect(found?.refusal).toEqual({ name: 'seed', value: 4, isUnknown: true });
    expect(found?.error).toMatchObject({ failure: 'need-refused', upstreamId: 'req_1' });
  });

  test('an error that names a wish has the call repeated without it', () => {
    expect(refused('style')).toMatchObject({
      refusal: { name: 'style', value: 'vivid', isUnknown: false },
      error: { failure: 'wish-refused' },
    });
  });

  test.each(['output_format', 'outputFormat', 'input.output_format'])('%s is the format', (name) => {
    expect(refused(name.replace('input.', ''))?.refusal.name).toBe('outputFormat');
  });

  test.each(['mask', 'mask_url', 'mask_image', 'mask_image_url'])(
    '%s is the mask, known by its upload: another one may be better',
    (name) => {
      expect(refused(name)?.refusal).toMatchObject({ name: 'mask', value: 'input:up_1' });
    },
  );

  test.each(['quality', 'size', 'n', ''])(
    '%p was not in the call by choice, and is our own fault',
    (name) => {
      expect(refused(name)).toBeNull();
    },
  );

  test('any other error stays what it is', () => {
    expect(toFieldRefusal(new ProviderError('overload', 'x'), task, fields)).toBeNull();
    expect(toFieldRefusal(new TypeError('x'), task, fields)).toBeNull();
  });
});
