import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseDirectives } from './create-sandbox.js';

const none = { delayMs: 0, fail: null, outputs: Number.POSITIVE_INFINITY, fixed: false };

describe('parse directives', () => {
  test.each([
    ['sandbox:delay=3000', { delayMs: 3000 }],
    ['sandbox:fail=moderation', { fail: 'moderation' }],
    ['sandbox:fail=invalid', { fail: 'invalid' }],
    ['sandbox:fail=upstream', { fail: 'upstream' }],
    ['sandbox:fail=once', { fail: 'once' }],
    ['sandbox:outputs=3', { outputs: 3 }],
    ['sandbox:outputs=0', { outputs: 0 }],
    ['sandbox:fixed', { fixed: true }],
    ['a fox, sandbox:fail=once. sandbox:delay=50 sandbox:fixed', { fail: 'once', delayMs: 50, fixed: true }],
    ['sandbox:delay=1 sandbox:delay=2', { delayMs: 2 }],
  ])('directives: %s', (prompt, expected) => {
    expect(parseDirectives(prompt)).toEqual({ ...none, ...expected });
  });

  test.each([
    'sandbox',
    'sandbox:',
    'sandbox:fail=often',
    'sandbox:fixedly',
    'sandbox:delay=-1',
    'sandbox:delay=1e9x',
    'sandbox:outputs=x',
  ])('what is none is part of the prompt: %s', (prompt) => {
    expect(parseDirectives(prompt)).toEqual(none);
  });

  test('no prompt makes it throw or take long', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 2_000, unit: 'grapheme' }),
        (prompt) => void parseDirectives(prompt),
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.constantFrom('sandbox:', 'fail=', 'delay=9', 'once', ' ', '=')), (parts) => {
        const { delayMs, outputs } = parseDirectives(parts.join(''));
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(outputs).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
