import { ALL_CAPABILITIES } from './capabilities.js';
import { checkImageField } from './image-field.js';
import {
  bearer,
  type ProtocolRoute,
  type RouteFault,
  readEnds,
  readNames,
  type UpstreamDescription,
} from './protocol.js';

/** How a server of this protocol takes input images: in a form, or in JSON as a data URL or an object with one. */
const IMAGE_FORMATS = ['form', 'data_url', 'url_object'] as const;

/** How a server of this protocol takes the shape of an image: `size`, `width` and `height`, or `aspect_ratio` and `resolution`. */
const SHAPES = ['size', 'pixels', 'ratio'] as const;

/** Checks the options that say how a server differs from OpenAI. */
function checkOpenaiRoute(route: ProtocolRoute): readonly RouteFault[] {
  const { image_format: format = 'form', shape = 'size', edit_path: path = '/images/edits' } = route.options;
  const checkChoice = (field: string, given: unknown, known: readonly unknown[]): RouteFault[] =>
    known.includes(given)
      ? []
      : [{ field: `options.${field}`, message: `must be one of ${known.join(', ')}` }];
  const isPath = typeof path === 'string' && /^(\/[\w.-]+)+$/.test(path);
  return [
    ...checkImageField(route),
    ...checkChoice('image_format', format, IMAGE_FORMATS),
    ...checkChoice('shape', shape, SHAPES),
    ...(isPath ? [] : [{ field: 'options.edit_path', message: 'must be a path, such as /images/edits' }]),
  ];
}

const REQUESTS = /\/(images\/(generations|edits)|(chat\/)?completions|responses|models)\/*$/;

/** Checks that an address is not that of one request, which documentation shows and people paste. */
function checkOpenaiAddress(address: string): string | null {
  return URL.canParse(address) && REQUESTS.test(new URL(address).pathname)
    ? 'is the address of one request; leave out its path behind the version, such as https://gpu.example/v1'
    : null;
}

/** Images API of OpenAI, and of servers that speak the same protocol. */
export const openai = {
  envPrefix: 'OPENAI',
  baseUrl: 'https://api.openai.com',
  apiPath: '/v1',
  resultHosts: [],
  authorize: bearer,
  maxImagesPerCall: 4,
  checkPath: '/models',
  listModels: (body) => readNames(body, 'data', 'id'),
  // developers.openai.com/api/docs/deprecations (October 2026); other servers of the protocol state none.
  listEnds: (body) => readEnds(body, (entry) => entry.shutdown_date),
  checkRoute: checkOpenaiRoute,
  checkAddress: checkOpenaiAddress,
  keysAt: 'https://platform.openai.com/api-keys',
  // CreateImageRequest and CreateImageEditRequest (openai-node 6.49.0). Qualities above high came with gpt-image-2.5.
  accepts: () => ({
    ...ALL_CAPABILITIES,
    quality: ['low', 'medium', 'high'],
    seed: null,
    negativePrompt: false,
    style: false,
  }),
  defaultQuality: 'medium',
} as const satisfies UpstreamDescription;
