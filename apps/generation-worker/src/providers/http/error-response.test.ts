import { describe, expect, test } from '@jest/globals';
import { parseRetryAfter, quoteUpstream } from './error-response.js';

describe('error response', () => {
  test.each([
    [{ 'retry-after': '8' }, 8_000],
    [{ 'retry-after': ' 8 ' }, 8_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '1.5' }, 1_500],
    [{ 'retry-after': '8, 8' }, 8_000],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after-ms': '250', 'retry-after': '8' }, 250],
    [{ 'retry-after-ms': '', 'retry-after': '8' }, 8_000],
    [{ 'retry-after-ms': 'soon', 'retry-after': '8' }, 8_000],
    [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
  ])('how long an answer asks to be left alone: %j', (headers, expected) => {
    expect(parseRetryAfter(headers as Record<string, string>)).toBe(expected);
  });

  test.each(['', ' ', 'soon', 'in 5 minutes', '-5', '0x10', '1e3', 'Infinity', 'NaN', '12 parsecs'])(
    'how long an answer asks to be left alone is not known from “%s”',
    (given) => {
      expect(parseRetryAfter({ 'retry-after': given })).toBeUndefined();
    },
  );

  test('how long an answer asks to be left alone is counted from now for a date', () => {
    const at = new Date(Date.now() + 60_000).toUTCString();
    const given = parseRetryAfter({ 'retry-after': at }) ?? 0;
    expect(given).toBeGreaterThan(50_000);
    expect(given).toBeLessThanOrEqual(60_000);
  });

  test('how long an answer asks to be left alone is not known without a header', () => {
    expect(parseRetryAfter({})).toBeUndefined();
  });
});

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
