import { getVersion } from '../config/index.js';
import { getHostPort } from '../net/index.js';
import type { HostProxy } from './choose-proxy.js';
import { createConnect } from './connections.js';
import {
  type BodyReceiver,
  type Exchange,
  type ExchangeDeps,
  exchange,
  readBody,
  startDeadline,
} from './exchange.js';
import { type FetchedBytes, type FetchRequest, fetchBytes } from './fetch-bytes.js';
import {
  createGuard,
  createNetworkResolver,
  createSystemResolver,
  parseOutboundUrl,
  type ResolveHost,
} from './guard.js';

/** Options of an outbound client. */
export interface OutboundOptions {
  /** Exact `host:port` entries (IPv6 in brackets) that may be private. */
  readonly allow: ReadonlySet<string>;
  /** Hosts that may be private on every port: those of the providers' configured base URLs, for their results. */
  readonly allowHosts?: ReadonlySet<string>;
  /** Exact `host:port` entries of servers of the operator's own: they may be private, but no metadata or link-local address. */
  readonly allowServers?: ReadonlySet<string>;
  /** Timeout of a name resolution, and then of a connection, in milliseconds; 3000 unless given. */
  readonly connectTimeoutMs?: number;
  /** Address under which the operator can be reached; part of the `User-Agent`, without which some sites refuse. */
  readonly contact?: string | undefined;
  /** Proxy for one host, whose name the guard resolves and judges all the same; all others are called directly. */
  readonly proxy?: HostProxy | undefined;
  /** Resolver of names that the configuration does not allow; queries the system's name servers unless given. */
  readonly resolve?: ResolveHost;
}

/** Guarded outbound client: public addresses only, checked on every connection and every redirect. Rejects with OutboundError. */
export interface Outbound {
  readonly fetchBytes: (request: FetchRequest) => Promise<FetchedBytes>;
  readonly postBytes: (request: PostRequest) => Promise<PostResponse>;
  readonly request: (request: CallRequest) => Promise<CallResponse>;
}

const CONNECT_TIMEOUT_MS = 3_000;

/** Creates the outbound client. Its idle connections end by themselves and keep no process alive, so it needs no closing. */
export function createOutbound(options: OutboundOptions): Outbound {
  const resolveTrusted = createSystemResolver();
  const guard = createGuard({
    allow: new Set([...options.allow].map(toHostPort)),
    allowHosts: options.allowHosts ?? new Set(),
    allowServers: options.allowServers ?? new Set(),
    resolvePublic: options.resolve ?? createNetworkResolver(),
    resolveTrusted,
  });
  const dependencies = {
    guard,
    connect: createConnect({
      guard,
      connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      proxy: options.proxy,
    }),
    userAgent: formatUserAgent(options.contact),
  };
  return {
    fetchBytes: (request) => fetchBytes(dependencies, request),
    postBytes: (request) => postBytes(dependencies, request),
    request: (request) => requestBytes(dependencies, request),
  };
}

/** Returns `image-gateway/<version> (+<contact>)`. */
function formatUserAgent(contact: string | undefined): string {
  return `image-gateway/${getVersion()}${contact === undefined ? '' : ` (+${contact})`}`;
}

function toHostPort(entry: string): string {
  return URL.canParse(`http://${entry}`) ? getHostPort(new URL(`http://${entry}`)) : entry;
}

/** Body to post to an unknown receiver. */
export interface PostRequest {
  readonly url: string;
  /** Sent byte for byte. */
  readonly body: Buffer | string;
  readonly headers: Readonly<Record<string, string>>;
  /** Timeout from the name resolution to the end of the response. */
  readonly timeoutMs: number;
  /** Maximum of bytes of the response that are read before the connection is closed; 64 KiB unless given. */
  readonly maxResponseBytes?: number;
  readonly signal?: AbortSignal | undefined;
  /** Connections are kept for later posts of the same owner; none is kept without it. */
  readonly owner?: string;
}

/** Response of a receiver. */
export interface PostResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** First bytes of the body, at most 4 KiB, for the log. */
  readonly bodyStart: Buffer;
}

const MAX_RESPONSE_BYTES = 64 * 1024;
const KEPT_BYTES = 4 * 1024;

/**
 * Posts a body and returns the response, whatever its status; redirects are not followed. Once the status is there, nothing
 * about the rest of the response makes it fail. Rejects with OutboundError when no status was received.
 */
export async function postBytes(
  dependencies: ExchangeDeps,
  { url, body, headers, timeoutMs, maxResponseBytes = MAX_RESPONSE_BYTES, signal, owner }: PostRequest,
): Promise<PostResponse> {
  const target = parseOutboundUrl(url);
  const deadline = startDeadline({ timeoutMs, signal });
  try {
    const response = await exchange(dependencies, {
      method: 'POST',
      url: target,
      headers,
      body,
      deadline,
      maxBytes: maxResponseBytes,
      owner,
      isCostly: true,
    });
    try {
      const bodyStart = await readStart(response, { keepBytes: KEPT_BYTES, maxBytes: maxResponseBytes });
      return { status: response.status, headers: response.headers, bodyStart };
    } finally {
      response.dispose();
    }
  } finally {
    deadline.stop();
  }
}

/** Call to a service whose whole response is needed. */
export interface CallRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
  readonly maxBytes: number;
  /** Timeout from the name resolution to the last byte. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Receives the body piece by piece; `bytes` is empty then, and `timeoutMs` starts again for the body. */
  readonly receive?: BodyReceiver | undefined;
  /** Connections are kept for later calls of the same owner; none is kept without it. */
  readonly owner?: string | undefined;
  /** True for a call that may be billed: it gets no connection that its server may end meanwhile. */
  readonly isCostly?: boolean;
}

/** Whole response, whatever its status. */
export interface CallResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/**
 * Makes one call and returns the whole response, whatever its status; redirects are not followed. Rejects with
 * OutboundError, whose `sent` says whether the other side may have acted on the request.
 */
export async function requestBytes(
  dependencies: ExchangeDeps,
  { url, headers = {}, timeoutMs, signal, receive, ...request }: CallRequest,
): Promise<CallResponse> {
  const target = parseOutboundUrl(url);
  const deadline = startDeadline({ timeoutMs, signal });
  try {
    const response = await exchange(dependencies, {
      ...request,
      url: target,
      headers,
      deadline,
      takesKeepAlives: true,
    });
    try {
      return {
        status: response.status,
        headers: response.headers,
        bytes: await readBody(response, { maxBytes: request.maxBytes, deadline, timeoutMs, receive }),
      };
    } finally {
      response.dispose();
    }
  } finally {
    deadline.stop();
  }
}

/** Reads the start of an unneeded body: keeps `keepBytes`, stops at `maxBytes` or at any error; never throws. */
export async function readStart(
  { body }: Exchange,
  { keepBytes, maxBytes }: { readonly keepBytes: number; readonly maxBytes: number },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      if (length < keepBytes) {
        chunks.push(chunk.subarray(0, keepBytes - length));
      }
      length += chunk.length;
      if (length >= maxBytes) {
        break;
      }
    }
  } catch {
    // The status alone matters, and it is known by now.
    return Buffer.concat(chunks);
  }
  return Buffer.concat(chunks);
}
