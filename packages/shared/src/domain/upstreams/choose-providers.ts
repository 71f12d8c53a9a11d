import { ConfigError } from '../../runtime/config/index.js';
import { MODELS } from '../catalog/index.js';
import { DEFAULT_ROUTES } from './default-routes.js';
import { PROVIDER_NAMES, type ProviderName } from './provider-name.js';
import { readRoutes } from './read-routes.js';
import type { Route, RoutingTable } from './route.js';
import { configuredUpstream, type UpstreamSettings } from './upstream-settings.js';
import { UPSTREAMS } from './upstreams.js';

/** The sandbox draws everything, for nothing. */
const SANDBOX_ROUTES = {
  models: Object.fromEntries(
    Object.keys(MODELS).map((model) => [
      model,
      [{ provider: 'sandbox', model, cost_per_image: { '1k': '0', '2k': '0', '4k': '0' } }],
    ]),
  ),
};

/**
 * Returns the routes in effect, without those of providers that are not named. Routes of the file keep its order;
 * default routes follow the order in which the providers are named. Throws an Error that names every fault of the file.
 */
function selectRoutes(providers: readonly ProviderName[], fileText: string | null): RoutingTable {
  const order: readonly string[] = providers;
  const getRank = ({ provider }: Route): number => order.indexOf(provider);
  const named = (routes: readonly Route[] = []): Route[] => routes.filter((route) => getRank(route) !== -1);
  if (fileText !== null) {
    const written = readRoutes(JSON.parse(fileText));
    return Object.fromEntries(Object.entries(written).map(([model, routes]) => [model, named(routes)]));
  }
  const [defaults, sandbox] = [readRoutes(DEFAULT_ROUTES), readRoutes(SANDBOX_ROUTES)];
  return Object.fromEntries(
    Object.keys(MODELS).map((model) => [
      model,
      [...named(defaults[model]), ...named(sandbox[model])].sort((a, b) => getRank(a) - getRank(b)),
    ]),
  );
}

/** Providers in use, and their routes. */
export interface ChosenProviders {
  /** In the order of preference. */
  readonly providers: readonly ProviderName[];
  readonly routes: RoutingTable;
  /** Providers that have a key and are not named: they get no requests. */
  readonly unused: readonly ProviderName[];
}

/** Settings from which the providers are chosen. */
export interface ProviderChoice extends UpstreamSettings {
  readonly PROVIDERS: readonly ProviderName[] | undefined;
  readonly ROUTES_FILE: string | undefined;
  readonly ENABLED_MODELS: readonly string[] | undefined;
}

/**
 * Chooses the providers that are named, or else those that have a key, and their routes. Throws ConfigError with every
 * fault. The function `readText` returns the text of a file or throws.
 */
export function chooseProviders(
  settings: ProviderChoice,
  readText: (file: string) => string,
): ChosenProviders {
  const named = settings.PROVIDERS ?? [];
  const providers = named.length > 0 ? named : PROVIDER_NAMES.filter((name) => hasKey(settings, name));
  const faults = providers.flatMap((name) => findFaults(settings, name));
  if (providers.length === 0) {
    faults.push('PROVIDERS is required: no provider has a key, and none is named (sandbox needs no key)');
  }
  const file = settings.ROUTES_FILE;
  try {
    const routes = selectRoutes(providers, file === undefined ? null : readText(file));
    const orphans = (settings.ENABLED_MODELS ?? ['nanobanana']).filter(
      (model) => routes[model]?.length === 0 || (settings.ROUTES_FILE !== undefined && !routes[model]),
    );
    if (faults.length === 0) {
      for (const model of orphans) {
        faults.push(
          `ENABLED_MODELS offers ${model}, but no provider that is configured (${providers.join(', ')}) has a route for it`,
        );
      }
    }
    if (faults.length === 0) {
      const unused = PROVIDER_NAMES.filter((name) => hasKey(settings, name) && !providers.includes(name));
      return { providers, routes, unused };
    }
  } catch (error) {
    faults.push(`ROUTES_FILE is not right: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new ConfigError(faults);
}

function hasKey(settings: UpstreamSettings, name: ProviderName): boolean {
  return name !== 'sandbox' && configuredUpstream(settings, name).keys.length > 0;
}

/** A server of one's own may ask for no key; a public one does. */
function findFaults(settings: UpstreamSettings, name: ProviderName): string[] {
  if (name === 'sandbox') {
    return [];
  }
  const { keys, ownHost } = configuredUpstream(settings, name);
  const { envPrefix, keysAt } = UPSTREAMS[name];
  if (keys.length > 0 || ownHost !== null) {
    return [];
  }
  return [`PROVIDERS names ${name}, but ${envPrefix}_API_KEY is not set (keys: ${keysAt})`];
}
