import { describe, expect, test } from '@jest/globals';
import { readBuiltInCatalog } from '../catalog/document/index.js';
import { createRequestParser } from './index.js';

const [model] = readBuiltInCatalog().models.values();
if (!model) {
  throw new Error('the built-in catalog is empty');
}
const ids = Array.from({ length: 57 }, (_, n) => `a-model-with-a-name-${n}`);
const parser = createRequestParser({
  models: ids.map((id) => ({ ...model, id })),
  isAllowedImageUrl: () => true,
  isAllowedWebhookUrl: () => true,
});
const parseFault = (body: unknown, onlyModels?: readonly string[]): string => {
  const parsed = parser.parse(body, onlyModels);
  return 'fault' in parsed ? parsed.fault : '';
};

describe('the fault of an unknown model', () => {
  test('the fault of an unknown model has at most 400 characters, however many are on offer', () => {
    const fault = parseFault({ model: 'other', prompt: 'x' });
    expect(fault.length).toBeLessThanOrEqual(400);
    expect(fault).toMatch(
      /^model must be one of "a-model-with-a-name-0", .* or 46 more; GET \/v1\/models lists them\.$/,
    );
    expect(parseFault({})).toBe(fault);
  });

  test('the fault of an unknown model names only those that the key may use', () => {
    expect(parseFault({ model: 'other' }, [ids[3] ?? ''])).toBe('model must be "a-model-with-a-name-3".');
    expect(parseFault({ model: 'other' }, [ids[4] ?? '', 'gone', ids[2] ?? ''])).toBe(
      'model must be one of "a-model-with-a-name-2", "a-model-with-a-name-4".',
    );
    expect(parseFault({ model: 'other' }, ['gone'])).toBe(
      'model must be a model that is on offer; none is at present.',
    );
  });

  test('a body that is no object is told so', () => {
    for (const body of [[], null, 'x', 5]) {
      expect(parseFault(body)).toBe('The body must be a JSON object.');
    }
  });
});
