import type { FieldRule } from '../core/check-fields.js';

const text: FieldRule = { type: 'string' };
const whole: FieldRule = { type: 'integer' };
const decimal: FieldRule = { type: 'number' };
const flag: FieldRule = { type: 'boolean' };
const one = (...names: string[]): FieldRule => ({ type: 'string', allowed: names });

const common: Readonly<Record<string, FieldRule>> = {
  model: text,
  prompt: { ...text, required: true, maxLength: 32_000 },
  n: { ...whole, min: 1, max: 10 },
  size: text,
  quality: one('low', 'medium', 'high', 'auto'),
  background: one('transparent', 'opaque', 'auto'),
  output_format: one('png', 'jpeg', 'webp'),
  output_compression: { ...whole, min: 0, max: 100 },
  partial_images: { ...whole, min: 0, max: 3 },
  stream: flag,
  user: text,
  moderation: one('auto', 'low'),
};

/**
 * The fields of `/images/generations` for the GPT image models (openai-node 6.49.0; `response_format` and `style` are for
 * models that are gone).
 */
export const GENERATION_FIELDS: Readonly<Record<string, FieldRule>> = common;

/** The fields of the form of `/images/edits`, without its files. */
export const EDIT_FORM_FIELDS: Readonly<Record<string, FieldRule>> = {
  ...common,
  input_fidelity: one('high', 'low'),
};

/** The fields of the JSON of `/images/edits`. */
export const EDIT_JSON_FIELDS: Readonly<Record<string, FieldRule>> = {
  ...EDIT_FORM_FIELDS,
  images: {
    type: 'array',
    required: true,
    min: 1,
    max: 16,
    items: { type: 'object', fields: { image_url: text, file_id: text } },
  },
};

const shared = {
  model: text,
  prompt: { ...text, required: true },
  n: { ...whole, min: 1, max: 10 },
  seed: whole,
} as const;
const images = (items: FieldRule): FieldRule => ({ type: 'array', min: 1, max: 14, items });

/** Fields of servers of this protocol that differ from OpenAI, by their models; each takes input images in JSON. */
export const FIELDS_BY_MODEL: Readonly<Record<string, Readonly<Record<string, FieldRule>>>> = {
  // docs.x.ai, image generation and editing (vercel/ai, packages/xai).
  'grok-imagine-image-2.0': {
    ...shared,
    aspect_ratio: text,
    resolution: one('1k', '2k'),
    response_format: one('b64_json', 'url'),
    images: images({ type: 'object', fields: { url: text } }),
  },
  // docs.byteplus.com/en/docs/ModelArk, image generation API; it has no `n`.
  'seedream-4-5-251128': {
    model: text,
    prompt: { ...text, required: true },
    size: text,
    response_format: one('b64_json', 'url'),
    watermark: flag,
    image: images(text),
  },
  // docs.together.ai, images; the second takes an image to edit.
  'black-forest-labs/FLUX.2-dev': {
    ...shared,
    width: whole,
    height: whole,
    response_format: one('base64', 'url'),
  },
  'black-forest-labs/FLUX.1-kontext-pro': {
    ...shared,
    width: whole,
    height: whole,
    response_format: one('base64', 'url'),
    image_url: { ...text, required: true },
  },
};

/** Fields that a server like vLLM-Omni accepts for both generations and edits. */
export const COMPATIBLE_FIELDS: Readonly<Record<string, FieldRule>> = {
  model: text,
  prompt: { ...text, required: true },
  negative_prompt: text,
  n: { ...whole, min: 1, max: 10 },
  size: text,
  seed: whole,
  num_inference_steps: { ...whole, min: 1, max: 200 },
  guidance_scale: decimal,
  true_cfg_scale: decimal,
  response_format: one('b64_json', 'url'),
  output_format: one('png', 'jpeg', 'webp'),
  output_compression: { ...whole, min: 0, max: 100 },
  background: text,
  user: text,
};
