import { expect, test } from '@jest/globals';
import { quoteUpstream } from './quote-upstream.js';

test('what an upstream says is quoted briefly and never with the key, whatever it says', () => {
  const key = { fingerprint: 'f', secret: 'AIza-secret' };
  expect(quoteUpstream("Consumer 'api_key:AIza-secret' has been suspended.", key)).toBe(
    "Consumer 'api_key:[key]' has been suspended.",
  );
  expect(quoteUpstream(`${'x'.repeat(295)}AIza-secret`, key)).toBe(`${'x'.repeat(295)}[key]`);
  expect(quoteUpstream('x'.repeat(1_000), key)).toHaveLength(300);
  expect(quoteUpstream('plain', null)).toBe('plain');
  expect(quoteUpstream('plain', { fingerprint: 'f', secret: '' })).toBe('plain');
  expect([null, 7, {}, undefined].map((odd) => quoteUpstream(odd, key))).toEqual(['', '', '', '']);
});
