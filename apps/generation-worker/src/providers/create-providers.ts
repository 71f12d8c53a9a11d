import { createOutbound } from '@image-gateway/shared/outbound';
import {
  type ConfiguredUpstream,
  computeFingerprint,
  configuredUpstream,
  type ProviderName,
  UPSTREAMS,
  type UpstreamSettings,
} from '@image-gateway/shared/upstreams';
import type { Provider } from '../routing/create-router.js';
import { createUpstream } from './http/create-upstream.js';
import { PROVIDER_MAKERS } from './provider-makers.js';
import { createSandbox } from './sandbox/create-sandbox.js';

/** Settings of the providers. */
export interface ProviderSettings extends UpstreamSettings {
  readonly PROVIDERS: readonly ProviderName[];
  readonly OUTBOUND_ALLOW: readonly string[];
}

const CONNECT_TIMEOUT_MS = 10_000;

/** Creates the named providers, in that order, each with its keys and a client of its own. */
export function createProviders(settings: ProviderSettings): Provider[] {
  return settings.PROVIDERS.map((name) => {
    if (name === 'sandbox') {
      return { provider: createSandbox(), keys: [null] };
    }
    return toProvider(configuredUpstream(settings, name), settings.OUTBOUND_ALLOW);
  });
}

function toProvider({ name, apiUrl, ownHost, keys }: ConfiguredUpstream, allow: readonly string[]): Provider {
  const outbound = createOutbound({
    allow: new Set(allow),
    allowHosts: new Set(ownHost === null ? [] : [ownHost]),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  const upstream = createUpstream(
    { outbound },
    { baseUrl: apiUrl, resultHosts: UPSTREAMS[name].resultHosts },
  );
  const known = keys.map((secret) => ({ secret, fingerprint: computeFingerprint(secret) }));
  return {
    provider: PROVIDER_MAKERS[name]({ upstream, own: ownHost !== null }),
    // A private server may need no key.
    keys: known.length > 0 ? known : [null],
  };
}
