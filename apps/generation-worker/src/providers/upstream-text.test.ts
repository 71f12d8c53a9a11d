import { describe, expect, test } from '@jest/globals';
import { readFacts } from './upstream-text.js';

describe('what an upstream says about an image', () => {
  test('what an upstream says is kept as it came', () => {
    expect(readFacts({ seed: 7, quality: 'high', revisedPrompt: 'a red fox 🦊' })).toEqual({
      seed: 7,
      quality: 'high',
      revisedPrompt: 'a red fox 🦊',
    });
  });

  test('the words that were sent are no others', () => {
    const sent = ['a fox', 'a fox\n\nAvoid: text'];
    expect(readFacts({ revisedPrompt: 'a fox\n\nAvoid: text ' }, sent).revisedPrompt).toBeNull();
    expect(readFacts({ revisedPrompt: 'a red fox' }, sent).revisedPrompt).toBe('a red fox');
  });

  test('what nobody said is absent', () => {
    expect(readFacts(undefined)).toEqual({ seed: null, quality: null, revisedPrompt: null });
  });

  test.each([
    { seed: 1.5, quality: '', revisedPrompt: '' },
    { seed: -1, quality: 7, revisedPrompt: {} },
    { seed: 2 ** 64, quality: 'two words', revisedPrompt: '\0' },
    { seed: '7', quality: 'x'.repeat(201), revisedPrompt: null },
  ])('what no row should hold is nothing: %p', (said) => {
    expect(readFacts(said)).toEqual({ seed: null, quality: null, revisedPrompt: null });
  });

  test('a long prompt is cut between characters, and is text that PostgreSQL takes', () => {
    const { revisedPrompt } = readFacts({ revisedPrompt: `a\0${'🦊'.repeat(3_000)}` });
    expect([...(revisedPrompt ?? '')]).toHaveLength(2_000);
    expect(revisedPrompt?.isWellFormed()).toBe(true);
    expect(revisedPrompt).not.toContain('\0');
    expect(readFacts({ revisedPrompt: 'a\ud800b' }).revisedPrompt).toBe('a\ufffdb');
  });
});
