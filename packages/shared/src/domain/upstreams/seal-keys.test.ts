import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openKeys, sealKeys } from './seal-keys.js';

const PLACE = { name: 'fal', protocol: 'fal', hostPort: 'fal.run:443' };
const [old, fresh] = [randomBytes(32), randomBytes(32)];

test('sealed keys are opened by the encryption key that sealed them, wherever it stands in the list', () => {
  const sealed = sealKeys([old], PLACE, 'k1,k2');
  expect(openKeys([old], PLACE, sealed)).toBe('k1,k2');
  expect(openKeys([fresh, old], PLACE, sealed)).toBe('k1,k2');
  expect(openKeys([fresh], PLACE, sealed)).toBeNull();
});

test.each([
  ['name', { ...PLACE, name: 'gemini' }],
  ['protocol', { ...PLACE, protocol: 'openai' }],
  ['address', { ...PLACE, hostPort: 'attacker.example:443' }],
])('sealed keys are not opened under another %s', (_what, place) => {
  expect(openKeys([old], place, sealKeys([old], PLACE, 'k'))).toBeNull();
});

test('sealed keys that somebody changed are not opened', () => {
  const sealed = sealKeys([old], PLACE, 'k');
  const changed = Buffer.from(sealed.sealed);
  changed.writeUInt8(changed.readUInt8(0) ^ 1, 0);
  expect(openKeys([old], PLACE, { ...sealed, sealed: changed })).toBeNull();
});
