import { expect, test } from '@jest/globals';
import { sharedSettings } from './index.js';

const { TRUST_PROXY: trustProxy } = sharedSettings;

test.each([
  ['true', true],
  ['False', false],
  ['off', false],
  ['2', 2],
  ['loopback', ['loopback']],
  ['loopback, 10.0.0.0/8,::1', ['loopback', '10.0.0.0/8', '::1']],
  ['192.0.2.0/255.255.255.0', ['192.0.2.0/255.255.255.0']],
])('%s is understood', (text, value) => {
  expect(trustProxy.parse(text)).toEqual(value);
});

test.each(['yes', '10.0.0.0/33', 'proxy.example', '::1/129', '10.0.0.1/8/8', ','])(
  '%s is a fault',
  (text) => {
    expect(() => trustProxy.parse(text)).toThrow('must be');
  },
);
