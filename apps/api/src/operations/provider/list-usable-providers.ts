import { loadSettings } from '@image-gateway/shared/config';
import {
  configuredUpstream,
  PROVIDER_NAMES,
  type ProviderName,
  upstreamSettings,
} from '@image-gateway/shared/upstreams';
import { defaultToSandbox } from './default-to-sandbox.js';

/** Lists the providers that these settings name, or those with a key, in the order of preference; throws ConfigError. */
export function listUsableProviders(env: Readonly<Record<string, string | undefined>>): ProviderName[] {
  const settings = defaultToSandbox(loadSettings(upstreamSettings, env));
  const named = settings.PROVIDERS ?? [];
  return (named.length > 0 ? named : PROVIDER_NAMES).filter((name) => {
    if (name === 'sandbox') {
      return named.includes(name);
    }
    const { keys, ownHost } = configuredUpstream(settings, name);
    return keys.length > 0 || (ownHost !== null && named.includes(name));
  });
}
