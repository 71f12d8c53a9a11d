import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import { deliverImages, withDownloadRetries } from '../deliver-images.js';
import { ProviderError } from '../failures.js';
import type { Upstream } from '../http/create-upstream.js';
import { appendImage, type EncodedForm, encodeForm } from '../http/encode-form.js';
import { encodeJson } from '../http/encode-json.js';
import { chooseModel } from '../merge-fields.js';
import type { ImageProvider, ProviderRequest } from '../port.js';
import { buildRequest, getDialect, type OpenaiDialect, type OpenaiRequest } from './build-request.js';
import { parseResponse, readUsage } from './parse-response.js';
import { isError, REQUEST_ID, toProviderError } from './to-provider-error.js';

/** Timeouts and pauses, in milliseconds. */
export interface OpenaiTimes {
  readonly timeoutMs: Readonly<Record<OpenaiDialect, number>>;
  /** Between the tries of a download. */
  readonly downloadPausesMs?: readonly number[];
}

// A private graphics card may have a queue.
const TIMES: OpenaiTimes = {
  timeoutMs: { openai: 240_000, compatible: 600_000 },
};

/** Vendor of the protocol. */
export interface OpenaiVendor {
  readonly name?: string;
  /** That of the address, which options of a route may override. */
  readonly dialect: OpenaiDialect;
  readonly authorize?: (secret: string) => Readonly<Record<string, string>>;
  /** Returns the path of a request where it has more than OpenAI's. */
  readonly toPath?: (path: string, place: VendorPlace) => string;
}

/** Parts that decide the path of a request. */
export interface VendorPlace extends Pick<ProviderRequest, 'model' | 'options'> {
  readonly baseUrl: string;
}

const API_VERSION = '2025-04-01-preview';
const WITH_VERSION = /\/v1$/;

/**
 * OpenAI's images at Azure. The deployment stands in the path, except at an address that ends with `/v1`; the option
 * `api_version` of a route names another version.
 */
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
};

/** Creates the adapter for OpenAI's images and for servers of that protocol. */
export function createOpenai(
  {
    upstream,
    name = 'openai',
    dialect: addressDialect,
    authorize = UPSTREAMS.openai.authorize,
    toPath = (path) => path,
  }: OpenaiVendor & { readonly upstream: Upstream },
  { timeoutMs, downloadPausesMs }: OpenaiTimes = TIMES,
): ImageProvider {
  const download = withDownloadRetries(upstream, downloadPausesMs);
  const origin = getOrigin(upstream.baseUrl);
  return {
    name,
    upstream: true,
    asynchronous: false,
    generate: async function* (request, scope) {
      const { key, slots } = request;
      const dialect = getDialect(addressDialect, request);
      const built = buildRequest(request, dialect, new URL(upstream.baseUrl).host);
      const place = { baseUrl: upstream.baseUrl, model: chooseModel(request), options: request.options };
      const { contentType, bytes } = await encodeBody(built);
      const authorization = key === null ? {} : authorize(key.secret);
      const response = await upstream.call(
        {
          method: 'POST',
          path: toPath(built.path, place),
          headers: { 'content-type': contentType, ...authorization },
          body: bytes,
          timeoutMs: request.timeoutMs ?? timeoutMs[dialect],
          isPaid: true,
        },
        scope,
      );
      const { status, headers, json } = response;
      // Some servers and resellers answer errors with status 200.
      if (status < 200 || status > 299 || isError(json?.value)) {
        throw toProviderError(response, key);
      }
      const upstreamId = headers[REQUEST_ID];
      if (json === null) {
        throw new ProviderError('bad-response', `OpenAI answered ${status} without JSON`, { upstreamId });
      }
      const images = parseResponse(json.value, { baseUrl: upstream.baseUrl, key, upstreamId });
      yield { type: 'upstream-id', id: upstreamId };
      yield { type: 'usage', tokens: readUsage(json.value) };
      if (images.urls.length === 0) {
        throw new ProviderError('no-image', 'OpenAI answered without an image', { upstreamId });
      }
      // A server with a key may require it for its files too; no other host gets it.
      const headersFor = (url: string) => (getOrigin(url) === origin ? authorization : {});
      yield* deliverImages({ ...images, json }, { upstream: { download }, slots, headersFor }, scope);
    },
  };
}

function getOrigin(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}

/** Encodes a request as JSON, or as a form when it contains images. */
async function encodeBody({ fields, files, fileField, mask }: OpenaiRequest): Promise<EncodedForm> {
  if (files.length === 0) {
    return { contentType: 'application/json', bytes: await encodeJson(fields) };
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  for (const [index, input] of files.entries()) {
    appendImage(form, { field: fileField, name: `in-${index}`, input });
  }
  if (mask) {
    appendImage(form, { field: 'mask', name: 'mask', input: mask });
  }
  return encodeForm(form);
}
