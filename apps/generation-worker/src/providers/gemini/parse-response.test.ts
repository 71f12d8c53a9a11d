import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ProviderError } from '../failures.js';
import { parseResponse } from './parse-response.js';

const read = (value: unknown) => {
  try {
    return { kind: 'image', data: parseResponse(value, null).data };
  } catch (error) {
    if (!(error instanceof ProviderError)) {
      throw error;
    }
    return { kind: 'failure', failure: error.failure, text: error.message };
  }
};

const answer = (finishReason: unknown, ...parts: unknown[]) => ({
  candidates: [{ content: { parts }, finishReason }],
});
const image = (data: unknown, more: object = {}) => ({
  inlineData: { mimeType: 'image/png', data },
  ...more,
});

describe('parse response', () => {
  test('the image of an answer of Gemini is the last one that is no thought', () => {
    const parts = [
      { text: 'Planning', thought: true },
      image('thought', { thought: true }),
      image('draft', { thoughtSignature: 'x' }),
      image('final', { thoughtSignature: 'x' }),
      { text: 'There you are' },
      image('afterthought', { thought: true }),
    ];
    expect(read(answer('STOP', ...parts))).toEqual({ kind: 'image', data: 'final' });
  });

  test.each(['MAX_TOKENS', 'SOMETHING_NEW', undefined, null, 7])(
    'the image of an answer of Gemini counts although it ended with %s',
    (reason) => {
      expect(read(answer(reason, image('x')))).toEqual({ kind: 'image', data: 'x' });
    },
  );

  test.each([
    ...['SAFETY', 'PROHIBITED_CONTENT', 'BLOCKLIST', 'SPII', 'RECITATION'].map((one) => [one, 'moderation']),
    ...['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION'].map((one) => [one, 'moderation']),
    ...['NO_IMAGE', 'IMAGE_OTHER', 'OTHER', 'LANGUAGE'].map((one) => [one, 'no-image']),
  ])(
    'the image of an answer of Gemini is none when it ended with %s, even when there is a draft: %s',
    (reason, failure) => {
      expect(read(answer(reason, image('draft')))).toMatchObject({ kind: 'failure', failure });
      expect(read({ candidates: [{ finishReason: reason }] })).toMatchObject({
        kind: 'failure',
        failure,
      });
    },
  );

  test.each(['MAX_TOKENS', 'STOP', 'SOMETHING_NEW', 'toString', '__proto__'])(
    'the image of an answer of Gemini is missing when it ended with %s and there is none',
    (reason) => {
      const parts = [{ text: 'Sure,' }, image(''), image(7), { inlineData: null }, null];
      expect(read(answer(reason, ...parts))).toMatchObject({ kind: 'failure', failure: 'no-image' });
    },
  );

  test.each([
    'SAFETY',
    'OTHER',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'IMAGE_SAFETY',
    'MODEL_ARMOR',
    'SOMETHING_NEW',
  ])('the image of an answer of Gemini was refused when the prompt was blocked: %s', (blockReason) => {
    expect(read({ promptFeedback: { blockReason } })).toMatchObject({ failure: 'moderation' });
  });

  test('the image of an answer of Gemini is explained in Google’s own words', () => {
    const finished = { finishReason: 'IMAGE_SAFETY', finishMessage: 'Try rephrasing.' };
    expect(read({ candidates: [finished] })).toMatchObject({
      text: 'Gemini: IMAGE_SAFETY: Try rephrasing.',
    });
  });

  test('the image of an answer of Gemini is looked for in anything without a fault', () => {
    const part = fc.record({ text: fc.jsonValue(), thought: fc.jsonValue(), inlineData: fc.jsonValue() });
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.record({ candidates: fc.jsonValue(), promptFeedback: fc.jsonValue() }),
      fc.record({
        candidates: fc.array(fc.record({ content: fc.jsonValue(), finishReason: fc.jsonValue() })),
      }),
      fc.array(fc.oneof(part, fc.jsonValue())).map((parts) => answer('STOP', ...parts)),
    );
    fc.assert(fc.property(odd, (value) => expect(['image', 'failure']).toContain(read(value).kind)));
  });
});
