import {
  type Catalog,
  listProvidersInUse,
  type ProvidersInUse,
} from '@image-gateway/shared/catalog/document';
import { loadSettings } from '@image-gateway/shared/config';
import { chooseProviders, createKeyReader, upstreamSettings } from '@image-gateway/shared/upstreams';

/**
 * Reads which providers this environment configures, and returns a function that lists those in use under a catalog. Throws
 * ConfigError.
 */
export function readProvidersInUse(
  env: Readonly<Record<string, string | undefined>>,
): (catalog: Pick<Catalog, 'instances'>) => ProvidersInUse {
  const chosen = chooseProviders(readProviderChoice(env));
  const readKeys = createKeyReader(env);
  return (catalog) => listProvidersInUse(catalog, chosen, readKeys);
}

/**
 * Reads the settings that choose the providers. The sandbox draws where nothing is configured, as under `npm start`, unless
 * SANDBOX_FALLBACK says otherwise. Throws ConfigError.
 */
export function readProviderChoice(env: Readonly<Record<string, string | undefined>>) {
  const settings = loadSettings(upstreamSettings, env);
  return { ...settings, SANDBOX_FALLBACK: env.SANDBOX_FALLBACK ? settings.SANDBOX_FALLBACK : true };
}
