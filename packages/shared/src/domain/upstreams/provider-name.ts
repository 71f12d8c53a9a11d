import { ALL_CAPABILITIES } from './capabilities.js';
import type { UpstreamDescription } from './protocol.js';
import { type BuiltInUpstream, isBuiltIn, UPSTREAMS, type UpstreamName } from './upstreams.js';

/** The name of a built-in provider, as `PROVIDERS` gives it. */
export type ProviderName = BuiltInUpstream | 'sandbox';

/** Protocol that a provider speaks. */
export type Protocol = UpstreamName | 'sandbox';

const UPSTREAM_NAMES = Object.keys(UPSTREAMS) as UpstreamName[];

/** Every protocol that there is. */
export const PROTOCOLS: readonly Protocol[] = [...UPSTREAM_NAMES, 'sandbox'];

/** Every provider that the environment can configure. */
export const PROVIDER_NAMES: readonly ProviderName[] = [...UPSTREAM_NAMES.filter(isBuiltIn), 'sandbox'];

/** Returns the optional fields of a protocol; the sandbox draws by all of them. */
export function getProtocolFields(
  protocol: Protocol,
): Pick<UpstreamDescription, 'accepts' | 'defaultQuality'> {
  return protocol === 'sandbox'
    ? { accepts: () => ALL_CAPABILITIES, defaultQuality: 'medium' }
    : UPSTREAMS[protocol];
}
