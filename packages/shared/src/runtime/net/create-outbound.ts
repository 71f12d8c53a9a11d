import { type FetchedBytes, type FetchRequest, fetchBytes } from './fetch-bytes.js';
import { getHostPort } from './get-host-port.js';
import { createGuard } from './guard.js';
import { type PostRequest, type PostResponse, postBytes } from './post-bytes.js';
import { type CallRequest, type CallResponse, requestBytes } from './request-bytes.js';
import { createNetworkResolver, createSystemResolver, type ResolveHost } from './resolvers.js';

/** How an outbound client is made. */
export interface OutboundOptions {
  /** Exact `host:port` entries (IPv6 in brackets) that may be private. */
  readonly allow: ReadonlySet<string>;
  /** Hosts that may be private on every port: those of the providers' configured base URLs, for their results. */
  readonly allowHosts?: ReadonlySet<string>;
  /** How long a name look-up, and then a connection, may take, in milliseconds; 3000 unless given. */
  readonly connectTimeoutMs?: number;
  /** Looks up names that are not allowed by configuration; the system's name servers unless a test says otherwise. */
  readonly resolve?: ResolveHost;
}

/** The guarded outbound client: public addresses only, checked on every connection and every redirect. Rejects with OutboundError. */
export interface Outbound {
  readonly fetchBytes: (request: FetchRequest) => Promise<FetchedBytes>;
  readonly postBytes: (request: PostRequest) => Promise<PostResponse>;
  readonly request: (request: CallRequest) => Promise<CallResponse>;
}

const CONNECT_TIMEOUT_MS = 3_000;

/** Makes the outbound client. It keeps no connection and needs no closing. */
export function createOutbound(options: OutboundOptions): Outbound {
  const resolveTrusted = createSystemResolver();
  const guard = createGuard({
    allow: new Set([...options.allow].map(canonical)),
    allowHosts: options.allowHosts ?? new Set(),
    resolvePublic: options.resolve ?? createNetworkResolver(),
    resolveTrusted,
  });
  const dependencies = { guard, connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS };
  return {
    fetchBytes: (request) => fetchBytes(dependencies, request),
    postBytes: (request) => postBytes(dependencies, request),
    request: (request) => requestBytes(dependencies, request),
  };
}

function canonical(entry: string): string {
  return URL.canParse(`http://${entry}`) ? getHostPort(new URL(`http://${entry}`)) : entry;
}
