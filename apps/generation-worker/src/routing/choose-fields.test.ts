import type { Preferences } from '@image-gateway/shared/contract';
import { ALL_CAPABILITIES, type Capabilities, NO_CAPABILITIES } from '@image-gateway/shared/upstreams';
import { describe, expect, test } from '@jest/globals';
import type { RouteTerms } from '../providers/port.js';
import { chooseFields, type FieldTask, type IsRefused } from './choose-fields.js';

const plain: FieldTask = {
  type: 'image_generate',
  negativePrompt: null,
  quality: null,
  seed: null,
  outputFormat: null,
  background: null,
  mask: null,
  wishes: null,
};
const terms = (accepts: Partial<Capabilities>, more: Partial<RouteTerms> = {}): RouteTerms => ({
  accepts: { ...NO_CAPABILITIES, ...accepts },
  quality: null,
  preferredQualities: [],
  ...more,
});
const ALL = terms(ALL_CAPABILITIES, { preferredQualities: ['low', 'medium'] });
const choose = (task: Partial<FieldTask>, route: RouteTerms, slot = 0, isRefused?: IsRefused) =>
  chooseFields({ ...plain, ...task }, route, slot, isRefused);
const wish = (wishes: Preferences, route: RouteTerms, more: Partial<FieldTask> = {}) =>
  choose({ wishes, ...more }, route);

describe('the fields that a task requires', () => {
  test.each([
    ['quality', 'high', { quality: ['low', 'medium'] }],
    ['seed', 0, { seed: null }],
    ['outputFormat', 'webp', { outputFormat: ['png', 'jpeg'] }],
    ['background', 'transparent', { background: ['opaque'] }],
    ['mask', 'input:up_1', { mask: false }],
  ] as const)('%s goes to a route that takes it, and to no other one', (name, value, without) => {
    const task = { [name]: value };
    expect(choose(task, ALL)).toEqual({ fields: name === 'mask' ? {} : task, unused: [] });
    expect(choose(task, terms({ ...ALL_CAPABILITIES, ...without } as Partial<Capabilities>))).toBeNull();
  });

  test('a task without any has no field, whatever the route takes', () => {
    expect(choose({}, ALL)).toEqual({ fields: {}, unused: [] });
  });

  test('image i has the seed of the first one and i, modulo the greatest one of the route and one', () => {
    const seeds = (seed: number, max: number) =>
      [0, 1, 2].map((slot) => choose({ seed }, terms({ seed: max }), slot)?.fields.seed);
    expect(seeds(5, 4_294_967_295)).toEqual([5, 6, 7]);
    expect(seeds(4_294_967_295, 4_294_967_295)).toEqual([4_294_967_295, 0, 1]);
    expect(seeds(4_294_967_295, 2_147_483_647)).toEqual([2_147_483_647, 0, 1]);
  });

  test('opaque is what every route draws, and is said only where the upstream knows another background', () => {
    expect(choose({ background: 'opaque' }, terms({}))).toEqual({ fields: {}, unused: [] });
    expect(choose({ background: 'opaque' }, ALL)?.fields).toEqual({ background: 'opaque' });
    expect(choose({ background: 'opaque' }, terms({ background: ['transparent'] }))).toBeNull();
  });

  test('a quality that the cost of the route names is asked for without a preference, and no other one', () => {
    const route = terms({ quality: ['low', 'high'] }, { quality: 'low' });
    expect(choose({}, route)?.fields).toEqual({ quality: 'low' });
    expect(choose({ quality: 'high' }, route)?.fields).toEqual({ quality: 'high' });
    expect(choose({}, terms({}, { quality: 'low' }))?.fields).toEqual({});
  });

  test('a negative prompt goes into a field of its own where the route has one', () => {
    expect(choose({ negativePrompt: 'text' }, ALL)?.fields).toEqual({ negativePrompt: 'text' });
    expect(choose({ negativePrompt: 'text' }, terms({}))).toEqual({ fields: {}, unused: [] });
  });
});

describe('the fields that a request of the facade prefers', () => {
  const every: Required<Omit<Preferences, 'background'>> = {
    quality: 'low',
    output_format: 'jpeg',
    output_compression: 70,
    style: 'vivid',
    moderation: 'low',
    input_fidelity: 'high',
    seed: 7,
  };

  test('each goes along where the route takes it, and is named as unused where it does not', () => {
    expect(wish(every, ALL, { type: 'image_edit' })).toEqual({
      fields: {
        quality: 'low',
        outputFormat: 'jpeg',
        outputCompression: 70,
        style: 'vivid',
        moderation: 'low',
        inputFidelity: 'high',
        seed: 7,
      },
      unused: [],
    });
    expect(wish(every, ALL)?.unused).toEqual(['input_fidelity']);
    expect(wish(every, terms({}))).toEqual({
      fields: {},
      unused: [
        'quality',
        'output_format',
        'output_compression',
        'style',
        'moderation',
        'input_fidelity',
        'seed',
      ],
    });
  });

  test('a value that no route understands is unused everywhere', () => {
    const nothing: Preferences = { quality: null, style: null, background: null };
    expect(wish(nothing, ALL)).toEqual({ fields: {}, unused: ['quality', 'style', 'background'] });
  });

  test('a quality that is dearer than the plain price is unused', () => {
    expect(wish({ quality: 'high' }, ALL)).toEqual({ fields: {}, unused: ['quality'] });
  });

  test('a compression means nothing without a format that has one', () => {
    expect(wish({ output_compression: 50 }, ALL)?.unused).toEqual(['output_compression']);
    expect(wish({ output_compression: 50, output_format: 'png' }, ALL)?.unused).toEqual([
      'output_compression',
    ]);
    expect(wish({ output_compression: 50, output_format: 'webp' }, ALL)?.unused).toEqual([]);
  });

  test('what an upstream has refused by name is no candidate where it is required, and unused where it is preferred', () => {
    const refused: IsRefused = (name, value) => name === 'style' || value === 'webp';
    expect(choose({ outputFormat: 'webp' }, ALL, 0, refused)).toBeNull();
    expect(choose({ outputFormat: 'png' }, ALL, 0, refused)).not.toBeNull();
    expect(choose({ wishes: { style: 'vivid', seed: 1 } }, ALL, 0, refused)).toEqual({
      fields: { seed: 1 },
      unused: ['style'],
    });
  });
});
