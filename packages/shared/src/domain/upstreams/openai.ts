import { bearer, readNames, type UpstreamDescription } from './protocol.js';
import { ACCEPTS_EVERYTHING } from './route-accepts.js';

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
  keysAt: 'https://platform.openai.com/api-keys',
  // CreateImageRequest and CreateImageEditRequest (openai-node 6.49.0). Qualities above high came with gpt-image-2.5.
  accepts: () => ({
    ...ACCEPTS_EVERYTHING,
    quality: ['low', 'medium', 'high'],
    seed: null,
    negativePrompt: false,
    style: false,
  }),
  defaultQuality: 'medium',
} as const satisfies UpstreamDescription;
