import { getHostPort } from '../net/index.js';
import {
  type CallRequest,
  type CallResponse,
  type PostRequest,
  type PostResponse,
  postBytes,
  requestBytes,
} from './call.js';
import { createGuard } from './create-guard.js';
import { type FetchedBytes, type FetchRequest, fetchBytes } from './fetch-bytes.js';
import { createNetworkResolver, createSystemResolver, type ResolveHost } from './resolvers.js';

/** Options of an outbound client. */
export interface OutboundOptions {
  /** Exact `host:port` entries (IPv6 in brackets) that may be private. */
  readonly allow: ReadonlySet<string>;
  /** Hosts that may be private on every port: those of the providers' configured base URLs, for their results. */
  readonly allowHosts?: ReadonlySet<string>;
  /** Timeout of a name resolution, and then of a connection, in milliseconds; 3000 unless given. */
  readonly connectTimeoutMs?: number;
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

/** Creates the outbound client. It keeps no connection and needs no closing. */
export function createOutbound(options: OutboundOptions): Outbound {
  const resolveTrusted = createSystemResolver();
  const guard = createGuard({
    allow: new Set([...options.allow].map(toHostPort)),
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

function toHostPort(entry: string): string {
  return URL.canParse(`http://${entry}`) ? getHostPort(new URL(`http://${entry}`)) : entry;
}
