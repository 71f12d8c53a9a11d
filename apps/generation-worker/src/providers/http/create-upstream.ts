import { isOwnHost } from '@image-gateway/shared/net';
import {
  createOutbound,
  type Outbound,
  OutboundError,
  type OutboundReason,
} from '@image-gateway/shared/outbound';
import { MACHINE_HOST } from '@image-gateway/shared/upstreams';
import { ProviderError } from '../failures.js';
import type { BodyDecoder, CallScope, ResponseBody } from '../port.js';
import { createJsonDecoder, type DecodedJson, type JsonDecoder } from './json-decoder.js';

/** A request to a provider's API. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From the base URL on, with a leading slash. */
  readonly path: string;
  /** Another base URL for this request, of the same vendor. */
  readonly baseUrl?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  /** To the head of the response. Waiting for bytes of its body may take as long once more. */
  readonly timeoutMs: number;
  /** True for a request for images: it may have been billed even when its response is lost. */
  readonly isPaid: boolean;
}

/** Complete response of any status. */
export interface UpstreamResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed body; null when it is not JSON. */
  readonly json: DecodedJson | null;
}

/** Client of one provider's API and of the images that it links to. All methods throw ProviderError. */
export interface Upstream {
  /** Prefix of every path of the API, without a trailing slash. */
  readonly baseUrl: string;
  readonly call: (request: UpstreamRequest, scope: CallScope) => Promise<UpstreamResponse>;
  /**
   * Downloads an image that the provider links to. Throws `output-expired` when it is gone, and `transport` for an outage. Throws
   * `bad-response` for what the gateway itself refuses, such as a host that is not allowed or a body that is too large. Headers
   * go to the URL's own origin only.
   */
  readonly download: (
    url: string,
    scope: CallScope,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Buffer>;
}

/** Address of a provider. */
export interface UpstreamAddress {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Hosts of results besides that of the base URL; `*.x` means every name below x, `*` every host. */
  readonly resultHosts: readonly string[];
  /** Longest wait for the next bytes of a body, in milliseconds; 30 s unless given. */
  readonly idleTimeoutMs?: number;
}

/** A 4k image as base64 takes at most 40 MB. */
export const MAX_RESPONSE_BYTES = 48 * 1024 * 1024;
const MAX_IMAGE_BYTES = 32 * 1024 * 1024;
const DOWNLOAD_TIMEOUT_MS = 60_000;
const IDLE_TIMEOUT_MS = 30_000;
const DOWNLOAD_REDIRECTS = 3;
const GONE: ReadonlySet<number> = new Set([403, 404, 410]);
/** Refusals of our own that no later try would change. */
const OWN_REFUSALS: ReadonlySet<OutboundReason> = new Set([
  'bad-url',
  'refused-address',
  'redirect',
  'too-large',
  'fragmented',
]);

/** Creates the client of a provider. */
export function createUpstream(
  { outbound }: { readonly outbound: Pick<Outbound, 'request' | 'fetchBytes'> },
  { baseUrl, resultHosts, idleTimeoutMs = IDLE_TIMEOUT_MS }: UpstreamAddress,
): Upstream {
  const base = new URL(baseUrl);
  const isOwn = isOwnHost(base.hostname);
  const mayHoldResults = ({ protocol, hostname }: URL): boolean =>
    hostname === base.hostname ||
    (protocol === 'https:' &&
      resultHosts.some((host) =>
        host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : host === '*' || hostname === host,
      ));

  return {
    baseUrl,
    call: async (
      { path, baseUrl: other, isPaid, headers: given, ...request },
      { signal, owner, receive = collectInMemory, traceparent },
    ) => {
      const decoder = createJsonDecoder();
      const body = receive(decoder);
      const write = async (chunk: Buffer): Promise<void> => {
        await body.write(chunk);
        if (decoder.isTooLong()) {
          throw new OutboundError('too-large', 'the text of the response is too long', { sent: true });
        }
      };
      try {
        const { status, headers } = await outbound.request({
          ...request,
          // Vendors have no part in our traces (W3C Trace Context).
          headers: isOwn && traceparent ? { ...given, traceparent } : given,
          url: `${other ?? baseUrl}${path}`,
          maxBytes: MAX_RESPONSE_BYTES,
          signal,
          owner,
          isCostly: isPaid,
          receive: { expect: body.expect, write, silenceMs: idleTimeoutMs },
        });
        await body.finish();
        return { status, headers, json: parseJson(decoder) };
      } catch (error) {
        if (!(error instanceof OutboundError)) {
          throw error;
        }
        const { reason, sent, status, message } = error;
        if (!sent) {
          throw new ProviderError('transport', message, { cause: error, isUnreachable: true });
        }
        // The status of an error suffices when its text was cut.
        if (status !== undefined && status >= 400) {
          return { status, headers: {}, json: null };
        }
        if (
          reason === 'too-large' ||
          reason === 'fragmented' ||
          (status !== undefined && reason === 'broken')
        ) {
          throw new ProviderError('bad-response', message, { cause: error });
        }
        throw new ProviderError(isPaid ? 'unknown' : 'transport', message, { cause: error });
      } finally {
        await body.close();
      }
    },
    download: async (url, { signal, owner, receive = collectInMemory }, headers = {}) => {
      if (!URL.canParse(url) || !mayHoldResults(new URL(url))) {
        throw new ProviderError('bad-response', 'a result is on a host that is not expected');
      }
      const decoder = createPlainDecoder();
      const body = receive(decoder);
      try {
        await outbound.fetchBytes({
          url,
          headers,
          maxBytes: MAX_IMAGE_BYTES,
          timeoutMs: DOWNLOAD_TIMEOUT_MS,
          maxRedirects: DOWNLOAD_REDIRECTS,
          signal,
          owner,
          receive: { expect: body.expect, write: body.write, silenceMs: idleTimeoutMs },
        });
        await body.finish();
        return decoder.bytes();
      } catch (error) {
        if (!(error instanceof OutboundError)) {
          throw error;
        }
        const { reason, status, message } = error;
        const failure =
          status !== undefined && GONE.has(status)
            ? 'output-expired'
            : OWN_REFUSALS.has(reason)
              ? 'bad-response'
              : 'transport';
        throw new ProviderError(failure, message, { cause: error });
      } finally {
        await body.close();
      }
    },
  };
}

/** Creates the client of Google's metadata server, which no other client of the gateway reaches. */
export function createMachineUpstream(): Upstream {
  const outbound = createOutbound({ allow: new Set(), allowHosts: new Set([MACHINE_HOST]) });
  return createUpstream({ outbound }, { baseUrl: `http://${MACHINE_HOST}`, resultHosts: [] });
}

function parseJson(decoder: JsonDecoder): DecodedJson | null {
  try {
    return decoder.parse();
  } catch {
    return null;
  }
}

/** Creates a response body in memory, for small responses and for readers without a memory limit. */
function collectInMemory(decoder: BodyDecoder): ResponseBody {
  const chunks: Buffer[] = [];
  return {
    expect: () => undefined,
    write: (chunk) => {
      chunks.push(chunk);
      return Promise.resolve();
    },
    finish: () => {
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
      decoder.replace(Buffer.allocUnsafe(decoder.measureRoom(bytes)));
      for (const chunk of chunks) {
        decoder.write(chunk);
      }
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}

/** Creates the decoder of a response that is taken as it is. */
export function createPlainDecoder(): BodyDecoder {
  let buffer: Buffer = Buffer.alloc(0);
  let length = 0;
  return {
    write: (piece) => {
      length += piece.copy(buffer, length);
    },
    measureRoom: (bytes) => bytes,
    bytes: () => buffer.subarray(0, length),
    replace: (next) => {
      buffer = next;
    },
  };
}
