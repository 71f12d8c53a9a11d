import { expect, test } from '@jest/globals';
import { splitKeys } from './split-keys.js';

const file = { type: 'service_account', client_email: 'a@b.iam', private_key: 'line\nline, with a comma' };
const decode = (key: string): unknown => JSON.parse(Buffer.from(key, 'base64').toString('utf8'));

test('keys are separated by commas, and spaces and empty ones are dropped', () => {
  expect(splitKeys(' one, two ,,three\n')).toEqual(['one', 'two', 'three']);
  expect(splitKeys(' \n')).toEqual([]);
});

test('keys are separated by line ends too', () => {
  expect(splitKeys('one\ntwo\r\n\r\nthree,four\n')).toEqual(['one', 'two', 'three', 'four']);
});

test('a key file in base64 that was written in lines is one key, beside others of any form', () => {
  const [first = '', second = ''] = [file, { ...file, client_email: 'c@d.iam' }].map((one) =>
    Buffer.from(JSON.stringify(one, null, 2)).toString('base64'),
  );
  const wrap = (text: string): string => text.replace(/.{1,76}/g, '$&\r\n');
  expect(splitKeys(`${wrap(first)}${wrap(second)}plain-key\n${first}`)).toEqual([
    first,
    second,
    'plain-key',
    first,
  ]);
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
  expect(splitKeys(JSON.stringify(file).slice(5))).toHaveLength(1);
  expect(splitKeys(encoded.slice(0, -9).replace(/.{1,76}/g, '$&\n'))).toEqual([encoded.slice(0, -9)]);
  expect(splitKeys('-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n')).toHaveLength(1);
});
