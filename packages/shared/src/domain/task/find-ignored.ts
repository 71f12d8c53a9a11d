import { OPTIONAL_FIELDS, OPTIONAL_NAMES, type OptionalField } from '../upstreams/index.js';
import { BODY_NAMES } from './fields.js';

/**
 * Names under which other image APIs take something that a request here has another name for, or that only the facade takes. Such a field
 * has no effect, and its caller is told so.
 */
const OTHER_NAMES: ReadonlySet<string> = new Set([
  'n',
  'num_images',
  'num_images_per_prompt',
  'numOutputs',
  'numImages',
  'number_of_images',
  'numberOfImages',
  'samples',
  'sampleCount',
  'batch_size',
  'size',
  'image_size',
  'imageSize',
  'width',
  'height',
  'aspect',
  'ratio',
  'aspectRatio',
  'image',
  'images',
  'image[]',
  'image_url',
  'imageUrl',
  'imageUrls',
  'image_input',
  'input_image',
  'input_images',
  'input_urls',
  'init_image',
  'reference_images',
  'referenceImages',
  'response_format',
  'format',
  'webhook',
  'webhookUrl',
  'callback_url',
  'callbackUrl',
  'callBackUrl',
  'notify_url',
  'user',
  'safety_identifier',
  'steps',
  'num_steps',
  'num_inference_steps',
  'sampling_steps',
  'guidance',
  'guidance_scale',
  'cfg_scale',
  'scheduler',
  'sampler',
  'sampler_name',
  'strength',
  'denoising_strength',
  'image_strength',
  'style',
  'style_preset',
  'loras',
  'watermark',
  'enhance_prompt',
  'prompt_upsampling',
  'safety_tolerance',
  'enable_safety_checker',
  'sync_mode',
  ...OPTIONAL_NAMES.flatMap((name) => {
    const { otherNames = [] }: OptionalField = OPTIONAL_FIELDS[name];
    return BODY_NAMES.some((one) => one === name) ? otherNames : [name, ...otherNames];
  }),
]);

/** Lists the fields of a body that have no effect although other image APIs know them; null counts as absent. */
export function findIgnored(body: unknown): string[] {
  const given = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const found = Object.keys(given).filter((name) => OTHER_NAMES.has(name) && given[name] != null);
  return found.length < 2 ? found : [...OTHER_NAMES].filter((name) => found.includes(name));
}
