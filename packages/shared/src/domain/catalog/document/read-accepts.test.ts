import { describe, expect, test } from '@jest/globals';
import { BUILT_IN_CAPABILITIES, PROTOCOLS, type Protocol } from '../../upstreams/index.js';
import { BUILT_IN_DOCUMENT } from './built-in-document.js';
import type { RouteEntry } from './document-schema.js';
import { readAccepts } from './read-accepts.js';

const ENTRY: RouteEntry = { provider: 'mine', model: 'm', cost: { '1k': '0.01' } };
const read = (entry: Partial<RouteEntry>, protocol: (typeof PROTOCOLS)[number] = 'openai') =>
  readAccepts({ ...ENTRY, ...entry }, protocol);

describe('what a route takes', () => {
  test('the protocol of OpenAI takes its fields by default, whatever the name of the model', () => {
    expect(read({})).toEqual({
      accepts: {
        quality: ['low', 'medium', 'high'],
        seed: null,
        outputFormat: ['png', 'jpeg', 'webp'],
        background: ['opaque', 'transparent'],
        mask: true,
        negativePrompt: false,
        outputCompression: true,
        moderation: true,
        inputFidelity: true,
        style: false,
      },
      defaultQuality: 'medium',
    });
  });

  test('a document replaces the default as a whole; nothing is what an empty one takes, and an opaque background', () => {
    expect(read({ accepts: {} }).accepts).toMatchObject({
      quality: [],
      seed: null,
      outputFormat: [],
      background: ['opaque'],
      mask: false,
      moderation: false,
    });
    expect(read({ accepts: { seed: true, quality: ['max'] } }).accepts).toMatchObject({
      quality: ['max'],
      seed: 4_294_967_295,
      mask: false,
    });
    expect(read({ accepts: { seed: 99 } }).accepts.seed).toBe(99);
    expect(read({ accepts: { background: ['transparent'] } }).accepts.background).toEqual([
      'opaque',
      'transparent',
    ]);
  });

  test.each([
    [{ quality: 'high' }, { accepts: { quality: ['high'] }, defaultQuality: 'high' }],
    [{ quality: 'auto' }, { accepts: { quality: [] }, defaultQuality: null }],
    [{ output_format: 'jpeg' }, { accepts: { outputFormat: ['jpeg'] } }],
    [{ output_format: 'jpg' }, { accepts: { outputFormat: ['jpeg'] } }],
    [{ background: 'transparent' }, { accepts: { background: ['transparent'] } }],
    [{ moderation: 'auto' }, { accepts: { moderation: false } }],
    [{ input_fidelity: 'high' }, { accepts: { inputFidelity: false } }],
    [{ output_compression: 80 }, { accepts: { outputCompression: false } }],
  ])('an option that sets a field fixes it: %j', (options, expected) => {
    expect(read({ options })).toMatchObject(expected);
  });

  test('an option that sets the seed or the negative prompt leaves no choice of it', () => {
    const accepts = { seed: true, negative_prompt: true, style: true, mask: true };
    const options = { seed: 7, negative_prompt: 'x', style: 'vivid', mask: 'x' };
    expect(read({ accepts, options }).accepts).toMatchObject({
      seed: null,
      negativePrompt: false,
      style: false,
      mask: false,
    });
  });

  test('a workflow takes what it has a place for', () => {
    const workflow = { 1: { class_type: 'x', inputs: { seed: '{{seed}}', text: '{{prompt}}' } } };
    expect(read({ options: { workflow } }, 'comfyui').accepts).toMatchObject({
      seed: 4_294_967_295,
      negativePrompt: false,
    });
  });

  test('a model of the built-in routes takes what its vendor documents, at every address of its protocol', () => {
    const { quality, background } = read({ model: 'gpt-image-2.6-flare' }).accepts;
    expect(quality).toEqual(['low', 'medium', 'high', 'xhigh', 'max']);
    expect(background).toEqual(['opaque', 'transparent']);
    expect(read({ model: 'gpt-image-2' }).accepts.background).toEqual(['opaque']);
    expect(read({ model: 'fal-ai/nano-banana' }, 'fal').accepts.seed).toBe(2_147_483_647);
    expect(read({ model: 'toString' }, 'fal').accepts.seed).toBeNull();
  });

  test('every built-in route of a provider whose models differ has its fields', () => {
    for (const { provider, model } of Object.values(BUILT_IN_DOCUMENT.models).flatMap((one) => [
      ...one.routes,
    ])) {
      const known = BUILT_IN_CAPABILITIES[provider as Protocol];
      expect([provider, model, known === undefined || Object.hasOwn(known, model)]).toEqual([
        provider,
        model,
        true,
      ]);
    }
  });

  test('every protocol draws an opaque background without being asked', () => {
    for (const protocol of PROTOCOLS) {
      expect(read({}, protocol).accepts.background).toContain('opaque');
    }
  });
});
