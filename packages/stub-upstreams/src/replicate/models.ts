import type { FieldRule } from '../core/check-fields.js';

const RATIOS = ['match_input_image', '1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];

const first: Readonly<Record<string, FieldRule>> = {
  prompt: { type: 'string', required: true },
  image_input: { type: 'array', max: 14, items: { type: 'string' } },
  aspect_ratio: { type: 'string', oneOf: RATIOS },
  output_format: { type: 'string', oneOf: ['jpg', 'png'] },
};
const resolution: FieldRule = { type: 'string', oneOf: ['1K', '2K', '4K'] };
const flag: FieldRule = { type: 'boolean' };
const two = { ...first, resolution, google_search: flag, image_search: flag };

/** The models with the fields of their inputs, as their pages describe them (that of 2.1 is taken to be like its predecessor's). */
export const REPLICATE_MODELS: Readonly<Record<string, Readonly<Record<string, FieldRule>>>> = {
  'google/nano-banana': first,
  'google/nano-banana-pro': {
    ...first,
    resolution,
    safety_filter_level: {
      type: 'string',
      oneOf: ['block_low_and_above', 'block_medium_and_above', 'block_only_high'],
    },
    allow_fallback_model: flag,
  },
  'google/nano-banana-2': two,
  'google/nano-banana-2.1': two,
};

/** The fields of a request for a prediction. */
export const PREDICTION_FIELDS: Readonly<Record<string, FieldRule>> = {
  input: { type: 'object', required: true },
  version: { type: 'string' },
  stream: flag,
  webhook: { type: 'string' },
  webhook_events_filter: {
    type: 'array',
    items: { type: 'string', oneOf: ['start', 'output', 'logs', 'completed'] },
  },
};
