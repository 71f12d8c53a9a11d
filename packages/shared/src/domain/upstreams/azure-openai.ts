import { openai } from './openai.js';
import type { UpstreamDescription } from './protocol.js';

// The list there has models of Azure, not the deployments of the resource.
const { listModels: _listModels, ...shared } = openai;

/** OpenAI's images at Azure: a deployment stands in the path, or in the body where the address ends with `/openai/v1`. */
export const azureOpenai = {
  ...shared,
  envPrefix: null,
  baseUrl: null,
  apiPath: '/openai',
  authorize: (secret) => ({ 'api-key': secret }),
  checkPath: '/models?api-version=2024-10-21',
  keysAt: 'https://portal.azure.com, "Keys and Endpoint" of the resource',
} as const satisfies UpstreamDescription;
