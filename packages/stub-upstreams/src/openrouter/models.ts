import type { FieldRule } from '../core/check-fields.js';

/** Properties of a model in the stub. */
export interface OpenrouterModel {
  readonly name: string;
  readonly resolutions: readonly string[];
  /** Dollars for an image of 1K. */
  readonly cost: number;
}

/** The models for images by their slugs. */
export const OPENROUTER_MODELS: Readonly<Record<string, OpenrouterModel>> = {
  'google/gemini-nano-banana-2.1': {
    name: 'Google: Nano Banana 2.1',
    resolutions: ['1K', '2K', '4K'],
    cost: 0.0336,
  },
  'google/gemini-3-pro-image': {
    name: 'Google: Nano Banana Pro',
    resolutions: ['1K', '2K', '4K'],
    cost: 0.134,
  },
  'google/gemini-2.5-flash-image': { name: 'Google: Nano Banana', resolutions: ['1K'], cost: 0.039 },
};

const text: FieldRule = { type: 'string' };
const flag: FieldRule = { type: 'boolean' };
const names: FieldRule = { type: 'array', items: text };
const RATIOS = [
  '1:1',
  '1:2',
  '1:4',
  '1:8',
  '2:1',
  '2:3',
  '2.35:1',
  '3:2',
  '3:4',
  '4:1',
  '4:3',
  '4:5',
  '5:2',
  '5:4',
  '8:1',
  '9:16',
  '16:9',
  '9:19.5',
  '19.5:9',
  '9:20',
  '20:9',
  '9:21',
  '21:9',
  'auto',
];

/** The fields of `POST /images` (`@openrouter/sdk` 1.3.19). */
export const IMAGE_FIELDS: Readonly<Record<string, FieldRule>> = {
  model: { ...text, required: true },
  prompt: { ...text, required: true },
  n: { type: 'integer', min: 1, max: 10 },
  aspect_ratio: { ...text, allowed: RATIOS },
  resolution: { ...text, allowed: ['512', '1K', '2K', '4K'] },
  size: text,
  output_format: { ...text, allowed: ['png', 'jpeg', 'webp', 'svg'] },
  output_compression: { type: 'integer', min: 0, max: 100 },
  quality: { ...text, allowed: ['auto', 'low', 'medium', 'high', 'xhigh', 'max'] },
  background: { ...text, allowed: ['auto', 'transparent', 'opaque'] },
  seed: { type: 'integer' },
  stream: flag,
  user: text,
  session_id: text,
  trace: { type: 'object' },
  input_references: {
    type: 'array',
    items: {
      type: 'object',
      fields: {
        type: { ...text, required: true, allowed: ['image_url'] },
        image_url: { type: 'object', required: true, fields: { url: { ...text, required: true } } },
      },
    },
  },
  provider: {
    type: 'object',
    fields: {
      allow_fallbacks: flag,
      ignore: names,
      only: names,
      options: { type: 'object' },
      order: names,
      sort: text,
    },
  },
};
