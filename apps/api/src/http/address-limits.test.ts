import { expect, test } from '@jest/globals';
import { toAddressKey } from './address-limits.js';
import { toClientAddress } from './client-address.js';

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:cb00:7109', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', 'unknown'],
  ['nonsense', 'unknown'],
  ['[2001:db8:1:2::7]:4711', '2001:db8:1:2::/64'],
])('%s is limited as %s', (address, subject) => {
  expect(toAddressKey(toClientAddress(address))).toBe(subject);
});
