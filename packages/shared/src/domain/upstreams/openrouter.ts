import { bearer, readNames, type UpstreamDescription } from './protocol.js';

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
  keysAt: 'https://openrouter.ai/settings/keys',
} as const satisfies UpstreamDescription;
