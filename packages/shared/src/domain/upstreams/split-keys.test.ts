import { expect, test } from '@jest/globals';
import { splitKeys } from './split-keys.js';

const file = { type: 'service_account', client_email: 'a@b.iam', private_key: 'line\nline, with a comma' };
const decode = (key: string): unknown => JSON.parse(Buffer.from(key, 'base64').toString('utf8'));

test('keys are separated by commas, and spaces and empty ones are dropped', () => {
  expect(splitKeys(' one, two ,,three\n')).toEqual(['one', 'two', 'three']);
  expect(splitKeys(' \n')).toEqual([]);
});

test('the key file of a service account is one key, however it is written, and two files are two', () => {
  const written = [JSON.stringify(file), JSON.stringify(file, null, 2), `\n${JSON.stringify(file)}\n`];
  expect(written.map((text) => splitKeys(text).map(decode))).toEqual([[file], [file], [file]]);
  const second = { ...file, client_email: 'c@d.iam' };
  expect(splitKeys(`${JSON.stringify(file)},\n${JSON.stringify(second)}`).map(decode)).toEqual([
    file,
    second,
  ]);
});

test('a key file in base64 stays as it is, and one that was cut is never split', () => {
  const [encoded = ''] = splitKeys(JSON.stringify(file));
  expect(splitKeys(encoded)).toEqual([encoded]);
  expect(splitKeys(JSON.stringify(file).slice(0, -5))).toHaveLength(1);
});
