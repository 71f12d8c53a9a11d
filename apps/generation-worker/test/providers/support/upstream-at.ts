import { createOutbound } from '@image-gateway/shared/outbound';
import { UPSTREAMS, type UpstreamName } from '@image-gateway/shared/upstreams';
import { createUpstream, type Upstream } from '../../../src/providers/http/create-upstream.js';

/**
 * The way to a provider whose API answers at another origin, such as `http://127.0.0.1:4000`, under a path of its own or that
 * of the protocol.
 */
export function upstreamAt(name: UpstreamName, origin: string, ownPath?: string): Upstream {
  const { apiPath, resultHosts } = UPSTREAMS[name];
  const outbound = createOutbound({ allow: new Set(), allowHosts: new Set([new URL(origin).hostname]) });
  return createUpstream({ outbound }, { baseUrl: `${origin}${ownPath ?? apiPath}`, resultHosts });
}
