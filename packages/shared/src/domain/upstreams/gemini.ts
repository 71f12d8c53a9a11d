import { NO_CAPABILITIES } from './capabilities.js';
import { isObject, listGoogleResolutions, readNames, type UpstreamDescription } from './protocol.js';

/** Gemini API of Google. */
export const gemini = {
  envPrefix: 'GEMINI',
  baseUrl: 'https://generativelanguage.googleapis.com',
  apiPath: '/v1beta',
  resultHosts: [],
  authorize: (secret) => ({ 'x-goog-api-key': secret }),
  maxImagesPerCall: 1,
  checkPath: '/models?pageSize=1000',
  isRefusal: (status, body) => status === 400 && body.includes('API_KEY_INVALID'),
  // The first page of a long list says nothing about the others.
  listModels: (body) =>
    isObject(body) && typeof body.nextPageToken === 'string'
      ? []
      : readNames(body, 'models', 'name').map((name) => name.replace(/^models\//, '')),
  keysAt: 'https://aistudio.google.com/apikey',
  listResolutions: listGoogleResolutions,
  // `generationConfig.seed` is an int32 and best effort (ai.google.dev/api/generate-content, November 2026). There is no field for quality,
  // format, background or mask.
  accepts: () => ({ ...NO_CAPABILITIES, seed: 2_147_483_647 }),
  sends: () => ['seed'],
  defaultQuality: null,
} as const satisfies UpstreamDescription;
