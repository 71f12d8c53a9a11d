import type { FieldRule } from '../core/check-fields.js';

const RATIOS = ['21:9', '16:9', '3:2', '4:3', '5:4', '1:1', '4:5', '3:4', '2:3', '9:16'];
const LONG_RATIOS = ['4:1', '1:4', '8:1', '1:8'];
const MAX_INPUTS = 14;

const common: Readonly<Record<string, FieldRule>> = {
  prompt: { type: 'string', required: true },
  num_images: { type: 'integer', min: 1, max: 4 },
  output_format: { type: 'string', allowed: ['jpeg', 'png', 'webp'] },
  safety_tolerance: { type: 'string', allowed: ['1', '2', '3', '4', '5', '6'] },
  seed: { type: 'integer' },
  sync_mode: { type: 'boolean' },
  limit_generations: { type: 'boolean' },
};
const ratio = (...more: string[]): FieldRule => ({ type: 'string', allowed: [...RATIOS, ...more] });
const resolution = (...names: string[]): FieldRule => ({ type: 'string', allowed: names });
const search: FieldRule = { type: 'boolean' };
const images: FieldRule = {
  type: 'array',
  required: true,
  min: 1,
  max: MAX_INPUTS,
  items: { type: 'string' },
};

const pro = {
  ...common,
  aspect_ratio: ratio('auto'),
  resolution: resolution('1K', '2K', '4K'),
  enable_web_search: search,
};
const two = {
  ...pro,
  aspect_ratio: ratio('auto', ...LONG_RATIOS),
  resolution: resolution('0.5K', '1K', '2K', '4K'),
  thinking_level: { type: 'string', allowed: ['minimal', 'high'] } as const,
};
const first = { ...common, aspect_ratio: ratio() };

const side: FieldRule = { type: 'integer', required: true, min: 1, max: 14_142 };
// FLUX takes pixels and no ratio.
const flux: Readonly<Record<string, FieldRule>> = {
  prompt: { type: 'string', required: true },
  num_images: { type: 'integer', min: 1, max: 4 },
  image_size: { type: 'object', fields: { width: side, height: side } },
  output_format: { type: 'string', allowed: ['jpeg', 'png'] },
  enable_prompt_expansion: { type: 'boolean' },
  guidance_scale: { type: 'number', min: 1, max: 20 },
  num_inference_steps: { type: 'integer', min: 1, max: 50 },
  seed: { type: 'integer' },
  sync_mode: { type: 'boolean' },
  enable_safety_checker: { type: 'boolean' },
};

const kontext: Readonly<Record<string, FieldRule>> = {
  ...common,
  aspect_ratio: ratio(),
  enable_prompt_expansion: { type: 'boolean' },
  guidance_scale: { type: 'number', min: 1, max: 20 },
};
const seedream: Readonly<Record<string, FieldRule>> = {
  prompt: { type: 'string', required: true },
  num_images: { type: 'integer', min: 1, max: 6 },
  image_size: { type: 'object', fields: { width: side, height: side } },
  seed: { type: 'integer' },
  enable_safety_checker: { type: 'boolean' },
};

/** The endpoints with the fields of their requests (`@fal-ai/client` 1.10.1; that of 2.1 is taken to be like its predecessor's). */
export const FAL_APPS: Readonly<Record<string, Readonly<Record<string, FieldRule>>>> = {
  'fal-ai/nano-banana': first,
  'fal-ai/nano-banana/edit': { ...first, aspect_ratio: ratio('auto'), image_urls: images },
  'fal-ai/nano-banana-pro': pro,
  'fal-ai/nano-banana-pro/edit': { ...pro, image_urls: images },
  'fal-ai/nano-banana-2': two,
  'fal-ai/nano-banana-2/edit': { ...two, image_urls: images },
  'google/nano-banana-2.1': two,
  'google/nano-banana-2.1/edit': { ...two, image_urls: images },
  'google/nano-banana-2-lite': first,
  'fal-ai/flux/dev': flux,
  // fal.ai/models, November 2026: edits of these have endpoints and fields of their own.
  'fal-ai/flux-pro/kontext/text-to-image': kontext,
  'fal-ai/flux-pro/kontext': { ...kontext, image_url: { type: 'string', required: true } },
  'fal-ai/bytedance/seedream/v4.5/text-to-image': seedream,
  'fal-ai/bytedance/seedream/v4.5/edit': { ...seedream, image_urls: images },
};
