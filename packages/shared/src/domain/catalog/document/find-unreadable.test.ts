import { describe, expect, test } from '@jest/globals';
import { BUILT_IN_DOCUMENT } from './built-in-document.js';
import {
  type DocumentNames,
  findUnreadable,
  intersectNames,
  listDocumentNames,
  selectBuiltIn,
} from './find-unreadable.js';

const own = listDocumentNames();
/** Names of a build that lacks one at a level. */
const without = (level: keyof DocumentNames, name: string): DocumentNames => ({
  ...own,
  [level]: own[level].filter((one) => one !== name),
});
const route = {
  provider: 'gemini',
  model: 'm',
  cost: { '1k': '0.01' },
  timeout: 9,
  accepts: { seed: true },
} as const;
const document = {
  providers: { relay: { protocol: 'task', base_url: 'https://a.example', api_path: '/v3' } },
  models: { poster: { family: 'f', routes: [route] } },
} as const;

describe('a document', () => {
  test.each([
    ['provider', 'api_path', 'providers.relay.api_path'],
    ['protocols', 'task', 'providers.relay.protocol'],
    ['model', 'family', 'models.poster.family'],
    ['route', 'timeout', 'models.poster.routes.0.timeout'],
    ['accepts', 'seed', 'models.poster.routes.0.accepts.seed'],
    ['builtInProviders', 'gemini', 'models.poster.routes.0.provider'],
    ['document', 'models', null],
    ['accepts', 'mask', null],
  ] as const)(
    'that a build without the %s %s cannot read is said to have that alone: %s',
    (level, name, path) => {
      const faults = findUnreadable(document, without(level, name));
      expect(faults.map((fault) => fault.path)).toEqual(path === null ? [] : [path]);
    },
  );

  test('is readable to this build, its built-in content too, and to no build that names nothing', () => {
    expect([...findUnreadable(document, own), ...findUnreadable(BUILT_IN_DOCUMENT, own)]).toEqual([]);
    expect(findUnreadable(document, intersectNames([own, {}])).length).toBeGreaterThan(4);
  });
});

test('builds read in common what each of them reads', () => {
  const both = intersectNames([without('route', 'timeout'), without('accepts', 'seed')]);
  expect(both).toEqual({ ...without('route', 'timeout'), accepts: without('accepts', 'seed').accepts });
  expect(intersectNames([])).toEqual(own);
});

test('the built-in content for a build is without the routes that it cannot read, and without models that have no other', () => {
  expect(selectBuiltIn(own)).toEqual(BUILT_IN_DOCUMENT);
  const { models } = selectBuiltIn(without('builtInProviders', 'openai'));
  expect(Object.keys(models)).toEqual(['nanobanana', 'nanobanana-pro']);
  const providers = (models.nanobanana?.routes ?? []).map(({ provider }) => provider);
  expect([providers.includes('gemini'), providers.includes('openai')]).toEqual([true, false]);
});
