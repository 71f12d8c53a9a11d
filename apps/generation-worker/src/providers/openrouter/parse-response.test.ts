import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseResponse } from './parse-response.js';

describe('parse response', () => {
  test('a good answer of OpenRouter has its images in order, and what it cost', () => {
    const data = [
      { b64_json: 'one', media_type: 'image/png' },
      { b64_json: '' },
      null,
      { url: 'x' },
      { b64_json: 'two' },
    ];
    expect(parseResponse({ data, usage: { cost: 0.0534 } })).toEqual({
      images: ['one', 'two'],
      isFiltered: false,
      costMicros: 53_400n,
    });
  });

  test('a good answer of OpenRouter has the images of a chat, and says when its content was filtered', () => {
    const images = [{ image_url: { url: 'data:image/png;base64,AA==' } }, { image_url: 'x' }];
    expect(parseResponse({ choices: [{ finish_reason: 'stop', message: { images } }] })).toMatchObject({
      images: ['data:image/png;base64,AA=='],
      isFiltered: false,
    });
    expect(parseResponse({ choices: [{ finish_reason: 'content_filter' }] })).toMatchObject({
      isFiltered: true,
    });
  });

  test.each([
    [0, 0n],
    [0.0336, 33_600n],
    [0.1 + 0.2, 300_000n],
    [0.0157, 15_700n],
    [1e-9, 0n],
    [-1, null],
    [1e9, 1_000_000_000_000_000n],
    ['0.1', 100_000n],
    ['0x1', null],
    [null, null],
    [undefined, null],
  ])(
    'a good answer of OpenRouter costs what it says, unless that makes no sense: %p is %p',
    (cost, expected) => {
      expect(parseResponse({ usage: { cost } }).costMicros).toBe(expected);
    },
  );

  test.each([
    [{ cost: 0.002, is_byok: true, cost_details: { upstream_inference_cost: 0.04 } }, 42_000n],
    [{ cost: 0, is_byok: true, cost_details: { upstream_inference_cost: 0.04 } }, 40_000n],
    [{ cost: 0.002, is_byok: true, cost_details: { upstream_inference_cost: null } }, 2_000n],
    [{ cost: 0.002, is_byok: true }, 2_000n],
    [{ cost: 0.04, is_byok: false, cost_details: { upstream_inference_cost: 0.04 } }, 40_000n],
    [{ is_byok: true, cost_details: { upstream_inference_cost: 0.04 } }, null],
  ])(
    "a good answer with a key of one's own costs the fee and what the provider bills: %j",
    (usage, expected) => {
      expect(parseResponse({ usage }).costMicros).toBe(expected);
    },
  );

  test('a good answer of OpenRouter is read without a fault, whatever is in it', () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.record({ data: fc.jsonValue(), choices: fc.jsonValue(), usage: fc.jsonValue() }),
      fc.record({ usage: fc.record({ cost: fc.double() }) }),
      fc.record({ choices: fc.array(fc.record({ message: fc.jsonValue(), finish_reason: fc.jsonValue() })) }),
    );
    fc.assert(
      fc.property(odd, (value) => {
        for (const image of parseResponse(value).images) {
          expect(image).not.toBe('');
        }
      }),
    );
  });
});
