import { NO_CAPABILITIES } from './capabilities.js';
import { checkImageField, type ImageField, parseImageField } from './image-field.js';
import {
  bearer,
  listGoogleResolutions,
  type ProtocolRoute,
  type RouteFault,
  type UpstreamDescription,
} from './protocol.js';

const KNOWN = /^google\/nano-banana/;

/** Returns the field of a Replicate model for input images; null where it is not known. */
export function readImageField(
  model: string,
  { image_field: given, edit_model: other }: Readonly<Record<string, unknown>>,
): ImageField | null {
  if (given === undefined) {
    return KNOWN.test(String(other ?? model)) ? { name: 'image_input', isList: true } : null;
  }
  return parseImageField(given);
}

/** Checks that a Replicate route for edits names the field for input images: Replicate drops unknown fields without a word, and charges. */
function checkEdits(route: ProtocolRoute): readonly RouteFault[] {
  if (route.types.includes('image_edit') && readImageField(route.model, route.options) === null) {
    const message =
      'must name the field of the model for input images, such as input_image or images[] for a list; or say types: [image_generate]';
    return [{ field: 'options.image_field', message }];
  }
  return checkImageField(route);
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
  checkRoute: checkEdits,
  listResolutions: listGoogleResolutions,
  // Each model has fields of its own, and unknown ones are ignored without a word.
  accepts: () => NO_CAPABILITIES,
  switchesRewriting: true,
  defaultQuality: null,
} as const satisfies UpstreamDescription;
