import { describe, expect, test } from '@jest/globals';
import { readBuiltInCatalog } from '../catalog/document/index.js';
import { generateSchema, parseGenerateRequest } from './index.js';

const schema = generateSchema({
  models: [...readBuiltInCatalog().models.values()],
  isAllowedImageUrl: (url) => !url.includes('private'),
  isAllowedWebhookUrl: () => true,
});
const good = { model: 'nanobanana', prompt: 'x' };
const parse = (fields: object) => parseGenerateRequest(schema, { ...good, ...fields });

describe('a generate request', () => {
  test('a generate request has its defaults, and nothing that was not given', () => {
    expect(parse({})).toEqual({
      request: { ...good, aspect_ratio: '16:9', num_outputs: 1, resolution: '1k' },
      given: good,
    });
  });

  test('a generate request is limited in characters, not in UTF-16 units', () => {
    expect(parse({ prompt: '🦊'.repeat(2000) })).toHaveProperty('request');
    expect(parse({ prompt: '🦊'.repeat(2001) })).toHaveProperty('fault');
    expect(parse({ prompt: `${'🦊'.repeat(1000)}${'x'.repeat(1001)}` })).toHaveProperty('fault');
    expect(parse({ negative_prompt: 'é'.repeat(1000) })).toHaveProperty('request');
    expect(parse({ negative_prompt: '' })).toHaveProperty('request');
  });

  test.each<[string, object]>([
    ['model', { model: undefined }],
    ['model', { model: null }],
    ['model', { model: ' nanobanana' }],
    ['prompt', { prompt: undefined }],
    ['prompt', { prompt: '' }],
    ['prompt', { prompt: ' \n\u3000' }],
    ['prompt', { prompt: 'a\u0000b' }],
    ['prompt', { prompt: '\ud800' }],
    ['prompt', { prompt: ['a'] }],
    ['negative_prompt', { negative_prompt: '\u0000' }],
    ['negative_prompt', { negative_prompt: 5 }],
    ['num_outputs', { num_outputs: 0 }],
    ['num_outputs', { num_outputs: 1.5 }],
    ['num_outputs', { num_outputs: '2' }],
    ['num_outputs', { num_outputs: true }],
    ['resolution', { resolution: '1K' }],
    ['image_urls', { image_urls: 'https://example.com/a.png' }],
    ['image_urls', { image_urls: Array(10).fill('https://example.com/a.png') }],
    ['image_urls[0]', { image_urls: [null] }],
    ['webhook_url', { webhook_url: 'ftp://example.com/' }],
    ['webhook_url', { webhook_url: 'https:example.com' }],
    ['webhook_url', { webhook_url: 'https://user@example.com/' }],
    ['webhook_url', { webhook_url: ' https://example.com/' }],
    ['webhook_url', { webhook_url: 'https://example.com/\n' }],
    ['webhook_url', { webhook_url: 'https://' }],
    ['num_outputs', { num_outputs: 5 }],
    ['num_outputs', { num_outputs: -1 }],
    ['aspect_ratio', { aspect_ratio: '' }],
    ['resolution', { resolution: 1 }],
    ['duration', { duration: 0 }],
    ['duration', { duration: 61 }],
    ['duration', { duration: 1.5 }],
    ['duration', { duration: '5' }],
    ['duration', { duration: true }],
  ])('a generate request is not coerced: %s of %j is refused by name', (field, fields) => {
    const parsed = parse(fields);
    expect('fault' in parsed && parsed.fault.split(' ')[0]).toBe(field);
  });

  test('a generate request takes only own fields of the body', () => {
    const body = JSON.parse('{"__proto__":{"model":"nanobanana","prompt":"x"}}') as unknown;
    expect(parseGenerateRequest(schema, body)).toEqual({
      fault: 'model must be one of "nanobanana", "nanobanana-pro", "gpt-image".',
    });
    const inherited = Object.create(good) as object;
    expect(parseGenerateRequest(schema, inherited)).toHaveProperty('fault');
  });

  test('a generate request is judged alike whichever fields come with it', () => {
    const optional = {
      negative_prompt: ['blur', 5],
      aspect_ratio: ['1:1', '7:7'],
      num_outputs: [2, 0],
      resolution: ['2k', 'k'],
      duration: [5, 0],
      seed: [7, 1.5],
      metadata: [{ who: 'me' }, 'me'],
    };
    const names = Object.keys(optional) as (keyof typeof optional)[];
    // More sets of fields than have a schema of their own.
    for (let set = 0; set < 2 ** names.length; set++) {
      for (const choice of [0, 1]) {
        const fields = Object.fromEntries(
          names.flatMap((name, i) => ((set >> i) & 1 ? [[name, optional[name][choice]]] : [])),
        );
        const { error, value } = schema.validate({ ...good, ...fields });
        expect(parse(fields)).toEqual(
          error ? { fault: error.message } : { request: value, given: { ...good, ...fields } },
        );
      }
    }
    expect(parseGenerateRequest(schema, { prompt: 'x', seed: 'a' })).toEqual(parse({ model: 5, seed: 'a' }));
  });

  test('a generate request names the field and says what is allowed', () => {
    expect(parse({ num_outputs: 9 })).toEqual({ fault: 'num_outputs must be an integer from 1 to 4.' });
    expect(parse({ image_urls: ['https://a.example', 'https://private.example'] })).toEqual({
      fault: 'image_urls[1] must lead to the public Internet, or to a host:port that OUTBOUND_ALLOW names.',
    });
  });
});
