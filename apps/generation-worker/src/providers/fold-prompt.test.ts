import { expect, test } from '@jest/globals';
import { foldPrompt } from './fold-prompt.js';

test('what to avoid stands below the prompt, and nothing stands there when there is nothing to avoid', () => {
  expect(foldPrompt('A fox', 'text, people')).toBe('A fox\n\nAvoid: text, people');
  expect(foldPrompt('A fox', null)).toBe('A fox');
});
