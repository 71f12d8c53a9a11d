import { openai } from './openai.js';
import type { UpstreamDescription } from './protocol.js';

// The list there has models of Azure, not the deployments of the resource.
const { listModels: _listModels, ...shared } = openai;

const AZURE_HOST = /\.(openai|cognitiveservices|services\.ai)\.azure\.com$/;
const RESOURCE_PATH = /^(\/openai(\/v1)?)?\/*$/;
/** Paths of requests and of projects, behind a proxy too. */
const OTHER_PATH = /\/openai\/(?!v1\/*$)|\/api\/projects/;

/** Checks that an address is that of a resource. The portal shows addresses of requests, which name deployment and version too. */
function checkAzureAddress(address: string): string | null {
  if (!URL.canParse(address)) {
    return null;
  }
  const { hostname, pathname } = new URL(address);
  const isResource = AZURE_HOST.test(hostname)
    ? RESOURCE_PATH.test(pathname)
    : !OTHER_PATH.test(pathname) && openai.checkAddress(address) === null;
  return isResource
    ? null
    : 'must be the address of the resource alone, such as https://my-resource.openai.azure.com, or with /openai/v1 behind it; ' +
        'the deployment is the model of a route, and its api-version the option api_version';
}

/** OpenAI's images at Azure: a deployment stands in the path, or in the body where the address ends with `/openai/v1`. */
export const azureOpenai = {
  ...shared,
  envPrefix: null,
  baseUrl: null,
  apiPath: '/openai',
  checkAddress: checkAzureAddress,
  authorize: (secret) => ({ 'api-key': secret }),
  checkPath: '/models?api-version=2024-10-21',
  keysAt: 'https://portal.azure.com, "Keys and Endpoint" of the resource',
} as const satisfies UpstreamDescription;
