import { type Catalog, type CatalogFault, findLosses } from '@image-gateway/shared/catalog/document';
import { PROVIDER_NAMES } from '@image-gateway/shared/upstreams';

/** Returns what is allowed in a catalog and probably not meant: providers that cannot be called, and prices below the cheapest cost. */
export function findWarnings(catalog: Catalog, usable: readonly string[]): CatalogFault[] {
  return [
    ...findUnusableInstances(catalog),
    ...findProvidersWithoutKey(catalog, usable),
    ...findLosses(catalog, (provider) => usable.includes(provider)),
  ];
}

// Remove once the generation workers call the instances of a document.
function findUnusableInstances({ instances }: Catalog): CatalogFault[] {
  return [...instances.keys()].map((name) => ({
    path: `providers.${name}`,
    message: 'generation workers of this release call built-in providers only; its routes are not used',
  }));
}

/** Built-in routes name every provider, and only those with a key are meant. */
function findProvidersWithoutKey({ models }: Catalog, usable: readonly string[]): CatalogFault[] {
  const builtIn: readonly string[] = PROVIDER_NAMES;
  return [...models.values()]
    .filter(({ hasBuiltInRoutes }) => !hasBuiltInRoutes)
    .flatMap(({ id, routes }) =>
      routes.flatMap(({ provider }, index) =>
        usable.includes(provider) || !builtIn.includes(provider)
          ? []
          : [{ path: `models.${id}.routes.${index}.provider`, message: `${provider} has no key here` }],
      ),
    );
}
