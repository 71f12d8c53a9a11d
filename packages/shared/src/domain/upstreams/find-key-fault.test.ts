import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { ConfigError, loadSettings } from '../../runtime/config/index.js';
import { findKeyFault } from './find-key-fault.js';
import { splitKeys } from './split-keys.js';
import { upstreamSettings } from './upstream-settings.js';
import { vertex } from './vertex.js';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const file = {
  type: 'service_account',
  client_email: 'a@b.iam.gserviceaccount.com',
  private_key: privateKey,
  token_uri: 'https://oauth2.googleapis.com/token',
};
const json = JSON.stringify(file);
const encode = (text: string): string => Buffer.from(text).toString('base64');

test.each([
  ['the file of a service account', json, null],
  ['one in base64', encode(json), null],
  [
    'one whose line ends became backslashes',
    JSON.stringify({ ...file, private_key: privateKey.replaceAll('\n', '\\n') }),
    null,
  ],
  ['the identity of the machine', 'metadata', null],
  ['a key of express mode', 'AQ.Ab8RN6-x_y', null],
  ['real line ends in its private key', json.replaceAll('\\n', '\n'), 'JSON cannot be read'],
  ['the same in base64', encode(json.replaceAll('\\n', '\n')), 'JSON cannot be read'],
  ['a file that was cut', encode(json).slice(0, 900), 'JSON cannot be read'],
  ['a file without its first characters', json.slice(9), 'JSON cannot be read'],
  ['a broken private key', JSON.stringify({ ...file, private_key: 'no key' }), 'private_key cannot be read'],
  ['a log-in of a person', '{"type":"authorized_user","refresh_token":"x"}', 'without client_email'],
  ['a private key alone', privateKey, 'JSON cannot be read'],
  ['an image', `${'A'.repeat(300)}+/=`, 'neither a key file nor a key of express mode'],
])('a key of Vertex AI that is %s is taken or refused by name', (_what, text, fault) => {
  const found = splitKeys(text).map((key) => findKeyFault('vertex', key));
  expect(found).toEqual([fault === null ? null : expect.stringContaining(fault)]);
});

test('a key file that cannot be used is no key that is sent itself', async () => {
  for (const text of [json.replaceAll('\\n', '\n'), '{"refresh_token":"x"}', privateKey]) {
    const [key = ''] = splitKeys(text);
    const [step] = vertex.createTokenSteps(key) ?? [];
    await expect(step?.(null)).rejects.toThrow('is a key file');
  }
});

test.each([
  ['a key file', json, 'is a key file'],
  ['one in base64', encode(json), 'is a key file'],
  ['line ends that a form let through', 'a\r\nX-Evil: 1', 'visible ASCII'],
  ['other letters', 'é中', 'visible ASCII'],
  ['100,000 characters', 'a'.repeat(100_000), 'longer than 8 KiB'],
  ['an ordinary key', 'sk-proj-0123_-', null],
  ['a token of three parts', `${encode('{"alg":"RS256"}')}.${encode('{"sub":"x"}')}.c2ln`, null],
])('a key of another provider is refused by name for %s', (_what, key, fault) => {
  expect(findKeyFault('gemini', key)).toEqual(fault === null ? null : expect.stringContaining(fault));
});

test('a setting with a key that cannot be used is refused at start, and the key is not told', () => {
  const read = (text: string) => loadSettings(upstreamSettings, { GEMINI_API_KEY: text }).GEMINI_API_KEY;
  expect(read('one\ntwo,three')).toEqual(['one', 'two', 'three']);
  let faults: readonly string[] = [];
  try {
    read(json);
  } catch (error) {
    faults = error instanceof ConfigError ? error.faults : [];
  }
  expect(faults).toEqual([
    expect.stringMatching(/^GEMINI_API_KEY has a key that cannot be used: it is a key file/),
  ]);
  expect(faults.join()).not.toContain('gserviceaccount');
});
