import { describe, expect, test } from '@jest/globals';
import { readUsage as readGemini } from '../providers/gemini/parse-response.js';
import { readUsage as readOpenai } from '../providers/openai/parse-response.js';
import { computeTokenCost } from './compute-token-cost.js';

// OpenAI's of November 2026: $5, $8 and $30 a million.
const COST = { textIn: 5_000_000n, imageIn: 8_000_000n, textOut: 30_000_000n, imageOut: 30_000_000n };
const NONE = { textIn: 0, imageIn: 0, textOut: 0, imageOut: 0 };

describe('the cost of tokens', () => {
  test('is what each kind costs, rounded up to a micro-dollar', () => {
    expect(computeTokenCost({ ...NONE, textIn: 1_000_000 }, COST)).toBe(5_000_000n);
    expect(computeTokenCost({ textIn: 50, imageIn: 3_200, textOut: 0, imageOut: 1_056 }, COST)).toBe(57_530n);
    expect(computeTokenCost({ ...NONE, textIn: 1 }, { ...COST, textIn: 1n })).toBe(1n);
  });

  test.each([
    [NONE],
    [{ ...NONE, textIn: -1 }],
    [{ ...NONE, imageOut: 1.5 }],
    [{ ...NONE, imageOut: Number.NaN }],
    [{ ...NONE, imageIn: 1e12 }],
  ])('is unknown for numbers that make no sense: %j', (tokens) => {
    expect(computeTokenCost(tokens, COST)).toBeNull();
  });
});

describe('the tokens of an answer', () => {
  test('are read from OpenAI', () => {
    const usage = {
      input_tokens: 3_250,
      input_tokens_details: { text_tokens: 50, image_tokens: 3_200 },
      output_tokens: 1_056,
    };
    expect(readOpenai({ usage })).toEqual({ textIn: 50, imageIn: 3_200, textOut: 0, imageOut: 1_056 });
    expect(readOpenai({ usage: { input_tokens: '7', output_tokens: null } })).toEqual(NONE);
    expect(readOpenai(null)).toEqual(NONE);
  });

  test('are read from Gemini, thoughts as text', () => {
    const usageMetadata = {
      promptTokenCount: 1_308,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 18 },
        { modality: 'IMAGE', tokenCount: 1_290 },
      ],
      candidatesTokenCount: 1_680,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_680 }],
      thoughtsTokenCount: 92,
    };
    expect(readGemini({ usageMetadata })).toEqual({
      textIn: 18,
      imageIn: 1_290,
      textOut: 92,
      imageOut: 1_680,
    });
    expect(readGemini({ usageMetadata: { promptTokensDetails: 'x' } })).toEqual(NONE);
  });
});
