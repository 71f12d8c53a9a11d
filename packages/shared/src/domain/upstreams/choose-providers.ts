import { PROVIDER_NAMES, type ProviderName } from './provider-name.js';
import { configureUpstream, type UpstreamSettings } from './upstream-settings.js';
import { UPSTREAMS } from './upstreams.js';

/**
 * Models without a provider in use that the sandbox serves: all where `PROVIDERS` names it alone, the built-in ones where
 * nothing is configured.
 */
export type SandboxServes = boolean | 'built-in';

/** Providers that the environment configures. */
export interface ChosenProviders {
  /** Built-in providers in use, in the order of preference. */
  readonly builtIn: readonly ProviderName[];
  /** Names in `PROVIDERS`, which may be instances of the catalog; null when it is unset, and every instance is used. */
  readonly named: readonly string[] | null;
  readonly sandboxServesRest: SandboxServes;
  /** Providers that have a key or an address, and that `PROVIDERS` does not name. */
  readonly unused: readonly ProviderName[];
  readonly faults: readonly string[];
}

/** Settings from which the providers are chosen. */
export interface ProviderChoice extends UpstreamSettings {
  readonly PROVIDERS: readonly string[] | undefined;
  readonly SANDBOX_FALLBACK: boolean;
}

/** Chooses the providers that `PROVIDERS` names, or else those that have a key or an address. */
export function chooseProviders(settings: ProviderChoice): ChosenProviders {
  const isConfigured = (name: ProviderName): boolean => {
    if (name === 'sandbox') {
      return false;
    }
    const { keys, ownAddress } = configureUpstream(settings, name);
    return keys.length > 0 || ownAddress !== null;
  };
  const configured = PROVIDER_NAMES.filter(isConfigured);
  const { PROVIDERS: given = [] } = settings;
  if (given.length === 0) {
    const isFallback = configured.length === 0 && settings.SANDBOX_FALLBACK;
    const builtIn: readonly ProviderName[] = isFallback ? ['sandbox'] : configured;
    const sandboxServesRest = isFallback && 'built-in';
    return { builtIn, named: null, sandboxServesRest, unused: [], faults: [] };
  }
  const named = PROVIDER_NAMES.filter((name) => given.includes(name));
  return {
    builtIn: given.flatMap((name) =>
      named.filter((one) => one === name && (one === 'sandbox' || isConfigured(one))),
    ),
    named: given,
    sandboxServesRest: given.length === 1 && given[0] === 'sandbox',
    unused: configured.filter((name) => !given.includes(name)),
    faults: named.flatMap((name) =>
      name === 'sandbox' || isConfigured(name)
        ? []
        : [
            `PROVIDERS names ${name}, but ${UPSTREAMS[name].envPrefix}_API_KEY is not set (keys: ${UPSTREAMS[name].keysAt})`,
          ],
    ),
  };
}
