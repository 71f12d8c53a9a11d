import { MAX_SEED, NO_CAPABILITIES } from './capabilities.js';
import {
  bearer,
  type ProtocolRoute,
  type RouteFault,
  readNames,
  type UpstreamDescription,
} from './protocol.js';

/** Several images to begin with are drawn one after the other, not into one. */
function checkInputs({ types, maxInputs }: ProtocolRoute): readonly RouteFault[] {
  return types.includes('image_edit') && maxInputs > 1
    ? [{ field: 'max_inputs', message: 'an edit begins with one image; say max_inputs: 1' }]
    : [];
}

/** API of Stable Diffusion web UIs: AUTOMATIC1111, Forge, reForge and SD.Next. */
export const sdapi = {
  envPrefix: null,
  baseUrl: null,
  apiPath: '/sdapi/v1',
  resultHosts: [],
  // `--api-auth user:password`; a proxy in front may require a token.
  authorize: (secret) =>
    secret.includes(':')
      ? { authorization: `Basic ${Buffer.from(secret).toString('base64')}` }
      : bearer(secret),
  maxImagesPerCall: 4,
  checkPath: '/sd-models',
  listModels: (body) =>
    ['title', 'model_name'].flatMap((field) => readNames({ models: body }, 'models', field)),
  keysAt: '--api-auth of the server, or the proxy in front of it',
  checkRoute: checkInputs,
  // modules/api/models.py of AUTOMATIC1111 and SD.Next; images are PNG.
  accepts: () => ({ ...NO_CAPABILITIES, seed: MAX_SEED, negativePrompt: true, mask: true }),
  sends: () => ['seed', 'negative_prompt', 'mask'],
  defaultQuality: null,
} as const satisfies UpstreamDescription;
