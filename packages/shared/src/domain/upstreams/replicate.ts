import { bearer, type ProtocolRoute, type RouteFault, type UpstreamDescription } from './protocol.js';
import { ACCEPTS_NOTHING } from './route-accepts.js';

const KNOWN = /^google\/nano-banana/;
const FIELD = /^(\w{1,64})(\[\])?$/;

/** Field of a model that takes input images: a list of them, or one. */
export interface ImageField {
  readonly name: string;
  readonly isList: boolean;
}

/** Returns the field of a Replicate model for input images; null where it is not known. The option `image_field` names it, such as `input_image` or `images[]`. */
export function readImageField(
  model: string,
  { image_field: given }: Readonly<Record<string, unknown>>,
): ImageField | null {
  if (given === undefined) {
    return KNOWN.test(model) ? { name: 'image_input', isList: true } : null;
  }
  const [, name, list] = FIELD.exec(typeof given === 'string' ? given : '') ?? [];
  return name === undefined ? null : { name, isList: list !== undefined };
}

/** Checks that a Replicate route for edits names the field for input images: Replicate drops unknown fields without a word, and charges. */
function checkImageField({ model, types, maxInputs, options }: ProtocolRoute): readonly RouteFault[] {
  if (!types.includes('image_edit')) {
    return [];
  }
  const field = readImageField(model, options);
  if (field === null) {
    const message =
      'must name the field of the model for input images, such as input_image or images[] for a list; or say types: [image_generate]';
    return [{ field: 'options.image_field', message }];
  }
  const message = `the field ${field.name} takes one image; say max_inputs: 1`;
  return field.isList || maxInputs <= 1 ? [] : [{ field: 'max_inputs', message }];
}

/** Predictions API of replicate.com. */
export const replicate = {
  envPrefix: 'REPLICATE',
  baseUrl: 'https://api.replicate.com',
  apiPath: '/v1',
  resultHosts: ['replicate.delivery', '*.replicate.delivery'],
  authorize: bearer,
  maxImagesPerCall: 1,
  checkPath: '/account',
  keysAt: 'https://replicate.com/account/api-tokens',
  checkRoute: checkImageField,
  // Each model has fields of its own, and unknown ones are ignored without a word.
  accepts: () => ACCEPTS_NOTHING,
  defaultQuality: null,
} as const satisfies UpstreamDescription;
