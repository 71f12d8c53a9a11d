import type { UpstreamDescription } from './protocol.js';
import type { Protocol } from './provider-name.js';
import { ACCEPTS_EVERYTHING } from './route-accepts.js';
import { UPSTREAMS } from './upstreams.js';

/** Returns the optional fields of a protocol; the sandbox draws by all of them. */
export function getProtocolFields(
  protocol: Protocol,
): Pick<UpstreamDescription, 'accepts' | 'defaultQuality'> {
  return protocol === 'sandbox'
    ? { accepts: () => ACCEPTS_EVERYTHING, defaultQuality: 'medium' }
    : UPSTREAMS[protocol];
}
