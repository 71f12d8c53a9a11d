import { type Outbound, OutboundError } from '@image-gateway/shared/net';
import { ProviderError } from '../errors.js';
import type { CallScope } from '../port.js';
import { collectInMemory } from './collect-in-memory.js';
import { type DecodedJson, decodeJson } from './decode-json.js';

/** A request to a provider's API. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** From the base URL on, with a leading slash. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  /** To the head of the response. Waiting for bytes of its body may take as long once more. */
  readonly timeoutMs: number;
  /** Whether it asks for images: a lost answer may then have been billed. */
  readonly paid: boolean;
}

/** A whole answer, whatever its status. */
export interface UpstreamResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON; null when it is none. */
  readonly json: DecodedJson | null;
}

/** The way to one provider's API and to the pictures that it links to. Everything throws ProviderError. */
export interface Upstream {
  /** Before every path of the API, without a trailing slash. */
  readonly baseUrl: string;
  readonly call: (request: UpstreamRequest, scope: CallScope) => Promise<UpstreamResponse>;
  /** Fetches a picture that the provider links to: `output-expired` when it is gone, `transport` when it can't be had now, `bad-response` when it may not be fetched from there or is too large. Headers go to the URL's own origin only. */
  readonly download: (
    url: string,
    scope: CallScope,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Buffer>;
}

/** Where a provider is. */
export interface UpstreamAddress {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Hosts that results may be downloaded from beside the base URL's own; `*.x` means every name below x. */
  readonly resultHosts: readonly string[];
  /** Longest wait for the next bytes of a body, in milliseconds; 30 s unless given. */
  readonly silenceMs?: number;
}

/** A 4k picture as base64 takes 40 MB at most. */
export const MAX_RESPONSE_BYTES = 48 * 1024 * 1024;
const MAX_IMAGE_BYTES = 32 * 1024 * 1024;
const DOWNLOAD_TIMEOUT_MS = 60_000;
const SILENCE_MS = 30_000;
// The text and the images in it.
const JSON_COPIES = 2;
const DOWNLOAD_REDIRECTS = 3;
const GONE: ReadonlySet<number> = new Set([403, 404, 410]);

/** Makes the way to a provider. */
export function createUpstream(
  { outbound }: { readonly outbound: Pick<Outbound, 'request' | 'fetchBytes'> },
  { baseUrl, resultHosts, silenceMs = SILENCE_MS }: UpstreamAddress,
): Upstream {
  const base = new URL(baseUrl);
  const mayHoldResults = ({ protocol, hostname }: URL): boolean =>
    hostname === base.hostname ||
    (protocol === 'https:' &&
      resultHosts.some((host) =>
        host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host,
      ));

  return {
    baseUrl,
    call: async ({ path, paid, ...request }, { signal, receive = collectInMemory }) => {
      const body = receive();
      try {
        const { status, headers } = await outbound.request({
          ...{ ...request, url: `${baseUrl}${path}`, maxBytes: MAX_RESPONSE_BYTES, signal },
          receive: { write: body.write, silenceMs },
        });
        return { status, headers, json: jsonOf(await body.load(JSON_COPIES)) };
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        const { reason, sent, status, message } = error;
        if (!sent) throw new ProviderError('transport', message, { cause: error });
        // An error whose text was cut is the error that its status says.
        if (status !== undefined && status >= 400) return { status, headers: {}, json: null };
        if (reason === 'too-large' || (status !== undefined && reason === 'broken')) {
          throw new ProviderError('bad-response', message, { cause: error });
        }
        throw new ProviderError(paid ? 'unknown' : 'transport', message, { cause: error });
      } finally {
        await body.close();
      }
    },
    download: async (url, { signal, receive = collectInMemory }, headers = {}) => {
      if (!URL.canParse(url) || !mayHoldResults(new URL(url))) {
        throw new ProviderError('bad-response', 'a result lies on a host that is not expected');
      }
      const body = receive();
      try {
        await outbound.fetchBytes({
          url,
          headers,
          maxBytes: MAX_IMAGE_BYTES,
          timeoutMs: DOWNLOAD_TIMEOUT_MS,
          maxRedirects: DOWNLOAD_REDIRECTS,
          signal,
          receive: { write: body.write, silenceMs },
        });
        return await body.load(1);
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        const { reason, status, message } = error;
        const failure =
          status !== undefined && GONE.has(status)
            ? 'output-expired'
            : reason === 'too-large' || reason === 'redirect' || reason === 'refused-address'
              ? 'bad-response'
              : 'transport';
        throw new ProviderError(failure, message, { cause: error });
      } finally {
        await body.close();
      }
    },
  };
}

function jsonOf(bytes: Buffer): DecodedJson | null {
  try {
    return decodeJson(bytes);
  } catch {
    return null;
  }
}
