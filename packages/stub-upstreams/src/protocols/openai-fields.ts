import {
  between,
  decimal,
  type Fields,
  fields,
  flag,
  list,
  must,
  one,
  record,
  text,
  whole,
} from '../core/fields.js';

const common = fields(
  [text, 'model size user'],
  [must(between(0, 32_000, 'string')), 'prompt'],
  [between(1, 10), 'n'],
  [one('low medium high auto'), 'quality'],
  [one('transparent opaque auto'), 'background'],
  [one('png jpeg webp'), 'output_format'],
  [between(0, 100), 'output_compression'],
  [between(0, 3), 'partial_images'],
  [flag, 'stream'],
  [one('auto low'), 'moderation'],
);
const edited = { ...common, input_fidelity: one('high low') };

/**
 * Fields of requests for the GPT image models (openai-node 6.49.0; `response_format` and `style` are for models that are
 * gone): of `/images/generations`, of the form of `/images/edits` without its files, and of its JSON.
 */
export const OPENAI_FIELDS = {
  generation: common,
  form: edited,
  json: { ...edited, images: must(list(record(fields([text, 'image_url file_id'])), 1, 16)) },
} satisfies Readonly<Record<string, Fields>>;

const shared = fields([text, 'model'], [must(text), 'prompt'], [between(1, 10), 'n'], [whole, 'seed']);
const together = { ...shared, ...fields([whole, 'width height'], [one('base64 url'), 'response_format']) };

/** Fields of servers of this protocol that differ from OpenAI, by their models; each takes input images in JSON. */
export const FIELDS_BY_MODEL: Readonly<Record<string, Fields>> = {
  // docs.x.ai, image generation and editing (vercel/ai, packages/xai).
  'grok-imagine-image-2.0': {
    ...shared,
    aspect_ratio: text,
    resolution: one('1k 2k'),
    response_format: one('b64_json url'),
    images: list(record({ url: text }), 1, 14),
  },
  // docs.byteplus.com/en/docs/ModelArk, image generation API; it has no `n`.
  'seedream-4-5-251128': fields(
    [must(text), 'prompt'],
    [text, 'model size'],
    [one('b64_json url'), 'response_format'],
    [flag, 'watermark'],
    [list(text, 1, 14), 'image'],
  ),
  // docs.together.ai, images; the second takes an image to edit.
  'black-forest-labs/FLUX.2-dev': together,
  'black-forest-labs/FLUX.1-kontext-pro': { ...together, image_url: must(text) },
};

/** Fields that a server like vLLM-Omni accepts for both generations and edits. */
export const COMPATIBLE_FIELDS = {
  ...shared,
  ...fields(
    [text, 'negative_prompt size background user'],
    [between(1, 200), 'num_inference_steps'],
    [decimal, 'guidance_scale true_cfg_scale'],
    [one('b64_json url'), 'response_format'],
    [one('png jpeg webp'), 'output_format'],
    [between(0, 100), 'output_compression'],
  ),
};
