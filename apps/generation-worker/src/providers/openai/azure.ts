import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import type { OpenaiVendor } from './create-openai.js';

const API_VERSION = '2025-04-01-preview';
const WITH_VERSION = /\/v1$/;

/** OpenAI's images at Azure. The deployment stands in the path, except at an address that ends with `/v1`; the option `api_version` of a route names another version. */
export const AZURE: OpenaiVendor = {
  name: 'azure-openai',
  dialect: 'openai',
  authorize: UPSTREAMS['azure-openai'].authorize,
  toPath: (path, { baseUrl, model, options: { api_version: version } }) => {
    const isVersioned = WITH_VERSION.test(baseUrl);
    const query = version ?? (isVersioned ? undefined : API_VERSION);
    const folder = isVersioned ? '' : `/deployments/${encodeURIComponent(model)}`;
    return `${folder}${path}${query === undefined ? '' : `?api-version=${encodeURIComponent(String(query))}`}`;
  },
  // Azure's reference of the images API does not have it.
  omits: ['moderation'],
};
