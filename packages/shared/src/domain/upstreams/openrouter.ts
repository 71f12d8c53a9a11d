import { ALL_CAPABILITIES, listTaken, NO_CAPABILITIES } from './capabilities.js';
import { bearer, listGoogleResolutions, readNames, type UpstreamDescription } from './protocol.js';

/** Images API of OpenRouter. */
export const openrouter = {
  envPrefix: 'OPENROUTER',
  baseUrl: 'https://openrouter.ai',
  apiPath: '/api/v1',
  resultHosts: [],
  authorize: bearer,
  maxImagesPerCall: 1,
  checkPath: '/key',
  modelsPath: '/images/models',
  listModels: (body) => readNames(body, 'data', 'id'),
  listResolutions: listGoogleResolutions,
  keysAt: 'https://openrouter.ai/settings/keys',
  // The fields of a model stand in `supported_parameters` of /images/models; its provider may ignore others
  // (openrouter.ai/docs, November 2026).
  accepts: () => NO_CAPABILITIES,
  // Its API has no mask.
  sends: () => listTaken({ ...ALL_CAPABILITIES, mask: false }),
  defaultQuality: null,
} as const satisfies UpstreamDescription;
