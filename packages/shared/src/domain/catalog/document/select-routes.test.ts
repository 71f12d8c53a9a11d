import { expect, test } from '@jest/globals';
import { configureInstance, listKeyFaults } from './select-routes.js';

const instance = {
  name: 'own',
  protocol: 'openai',
  baseUrl: 'https://own.example',
  apiPath: null,
  keyEnv: 'OWN_KEYS',
  task: null,
} as const;

test('an instance gets the keys that can be used alone, and none where all are key files', () => {
  const configure = (...keys: string[]) => configureInstance(instance, () => keys)?.keys ?? null;
  expect(configure('good', '{"private_key":"x"}', 'line\nend')).toEqual(['good']);
  expect(configure('{"private_key":"x"}')).toBeNull();
});

test('an instance with a key in the environment that cannot be used is named, without the key', () => {
  const instances = new Map([['own', { ...instance, concurrency: null, repeatUnknown: false }]]);
  const list = (...keys: string[]) => listKeyFaults({ instances }, () => keys);
  expect(list('good')).toEqual([]);
  expect(list('good', '{"private_key":"x"}')).toEqual([
    { name: 'own', variable: 'OWN_KEYS', fault: expect.stringMatching(/^is a key file(?!.*:"x")/) },
  ]);
});
