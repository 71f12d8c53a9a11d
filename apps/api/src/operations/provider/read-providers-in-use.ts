import {
  type Catalog,
  listProvidersInUse,
  type ProvidersInUse,
} from '@image-gateway/shared/catalog/document';
import { loadSettings } from '@image-gateway/shared/config';
import { chooseProviders, createKeyReader, upstreamSettings } from '@image-gateway/shared/upstreams';

/**
 * Reads which providers this environment configures, and returns a function that lists those in use under a catalog. Without
 * any, it is the sandbox, as under `npm start`. Throws ConfigError.
 */
export function readProvidersInUse(
  env: Readonly<Record<string, string | undefined>>,
): (catalog: Pick<Catalog, 'instances'>) => ProvidersInUse {
  const chosen = chooseProviders({ ...loadSettings(upstreamSettings, env), SANDBOX_FALLBACK: true });
  const readKeys = createKeyReader(env);
  return (catalog) => listProvidersInUse(catalog, chosen, readKeys);
}
