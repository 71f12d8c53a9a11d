import { openai } from './openai.js';
import { isObject, type ModelEnd, readEnds, type UpstreamDescription } from './protocol.js';

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

const VERSION = /-\d{4}-\d\d-\d\d$/;

/**
 * Returns the ends of Azure's models, each under its own name and that without a version; the last end of the versions counts
 * for it. A deployment has them if it is named like its model.
 */
function listEnds(body: unknown): readonly ModelEnd[] {
  const ends = readEnds(body, ({ deprecation }) =>
    isObject(deprecation) ? deprecation.inference : undefined,
  );
  const named = ends.flatMap(({ model, on }) =>
    [...new Set([model, model.replace(VERSION, '')])].map((name) => ({ model: name, on })),
  );
  const last = new Map(named.sort((a, b) => a.on.localeCompare(b.on)).map((end) => [end.model, end]));
  return [...last.values()];
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
  listEnds,
  keysAt: 'https://portal.azure.com, "Keys and Endpoint" of the resource',
} as const satisfies UpstreamDescription;
