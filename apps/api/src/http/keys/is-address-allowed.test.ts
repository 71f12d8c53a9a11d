import { expect, test } from '@jest/globals';
import { isAddressAllowed } from './is-address-allowed.js';

test.each([
  ['203.0.113.0/24', '203.0.113.9', true],
  ['203.0.113.0/24', '203.0.114.9', false],
  ['203.0.113.9', '203.0.113.9', true],
  ['::ffff:203.0.113.0/120', '203.0.113.9', true],
  ['::ffff:203.0.113.9', '203.0.113.9', true],
  ['::ffff:203.0.113.9', '203.0.113.8', false],
  ['2001:db8::/32', '2001:db8::1', true],
  ['2001:db8::1', '2001:db8::2', false],
  ['::/0', '2001:db8::2', true],
  ['0.0.0.0/0', '', false],
])('a key for %s is good from %j: %s', (network, address, isGood) => {
  expect(isAddressAllowed([network], address)).toBe(isGood);
});

test('a key without networks is good from everywhere', () => {
  expect(isAddressAllowed([], '')).toBe(true);
});
