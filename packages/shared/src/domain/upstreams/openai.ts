import { bearer, readNames, type UpstreamDescription } from './protocol.js';

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
} as const satisfies UpstreamDescription;
