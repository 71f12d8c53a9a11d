import { describe, expect, test } from '@jest/globals';
import { buildRequest as buildBfl } from './bfl/build-request.js';
import { buildRequest as buildDashscope } from './dashscope/create-dashscope.js';
import { buildRequest as buildFal } from './fal/build-request.js';
import { asRecord } from './http/json-decoder.js';
import type { ProviderRequest } from './port.js';
import { buildRequest as buildReplicate } from './replicate/build-request.js';

const REQUEST: ProviderRequest = {
  taskId: 't',
  callId: 'call-1',
  model: 'm',
  key: null,
  prompt: 'a fox',
  negativePrompt: null,
  aspectRatio: '9:16',
  resolution: '1k',
  takesResolution: true,
  fields: {},
  options: {},
  slots: [0],
  inputs: [],
  earlierCalls: 0,
  job: null,
};
const BUILDERS = {
  bfl: (request: ProviderRequest) => buildBfl(request).body,
  dashscope: (request: ProviderRequest) => asRecord(buildDashscope(request).parameters) ?? {},
  fal: (request: ProviderRequest) => buildFal(request).body,
  replicate: (request: ProviderRequest) => asRecord(buildReplicate(request, []).body.input) ?? {},
} as const;
type Vendor = keyof typeof BUILDERS;
const FIELDS =
  /pup|upsampling|prompt_extend|prompt_expansion|expand_prompt|optimizer|magic_prompt|enhance_prompt/;

describe('the words of the customer', () => {
  test.each<[Vendor, string, string, unknown, unknown]>([
    ['bfl', 'flux-2-pro', 'disable_pup', true, false],
    ['bfl', 'flux-2-max', 'disable_pup', true, false],
    ['bfl', 'flux-2-flex', 'prompt_upsampling', false, true],
    ['bfl', 'flux-pro-1.1', 'prompt_upsampling', false, true],
    ['bfl', 'flux-kontext-pro', 'prompt_upsampling', false, true],
    ['dashscope', 'qwen-image-3.0', 'prompt_extend', false, true],
    ['dashscope', 'wan2.6-t2i', 'prompt_extend', false, true],
    ['fal', 'fal-ai/flux-2', 'enable_prompt_expansion', false, true],
    ['fal', 'fal-ai/ideogram/v3', 'expand_prompt', false, true],
    ['fal', 'fal-ai/minimax/image-01', 'prompt_optimizer', false, true],
    ['replicate', 'ideogram-ai/ideogram-v3-turbo', 'magic_prompt_option', 'Off', 'On'],
    ['replicate', 'black-forest-labs/flux-1.1-pro', 'prompt_upsampling', false, true],
    ['replicate', 'bytedance/seedream-4', 'enhance_prompt', false, true],
    ['replicate', 'minimax/image-01', 'prompt_optimizer', false, true],
  ])('stay as they are at %s, model %s, unless its route says otherwise', (vendor, model, field, off, on) => {
    const ask = (options: ProviderRequest['options']) => BUILDERS[vendor]({ ...REQUEST, model, options });
    expect(ask({})).toHaveProperty(field, off);
    expect(ask({ prompt_rewriting: false })).toHaveProperty(field, off);
    expect(ask({ prompt_rewriting: true })).toHaveProperty(field, on);
    expect(ask({ prompt_rewriting: true })).not.toHaveProperty('prompt_rewriting');
    // The vendor's own field wins, and null leaves it out.
    expect(ask({ [field]: 'mine' })).toHaveProperty(field, 'mine');
    expect(ask({ [field]: null })).not.toHaveProperty(field);
  });

  test.each<[Vendor, string]>([
    ['bfl', 'flux-2-klein-9b'],
    ['fal', 'fal-ai/nano-banana-pro'],
    ['fal', 'google/nano-banana-2.1'],
    ['fal', 'fal-ai/recraft/v3/text-to-image'],
    ['replicate', 'google/nano-banana-pro'],
  ])('stay without a field at %s, model %s, which has none for it', (vendor, model) => {
    for (const options of [{}, { prompt_rewriting: true }]) {
      const body = BUILDERS[vendor]({ ...REQUEST, model, options });
      expect(Object.keys(body).filter((name) => FIELDS.test(name))).toEqual([]);
    }
  });
});
