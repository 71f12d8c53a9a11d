import {
  type Catalog,
  type CatalogFault,
  findKeptFaults,
  findLosses,
  findRetirements,
  type ProvidersInUse,
} from '@image-gateway/shared/catalog/document';

/**
 * Returns what is allowed in a catalog and probably not meant: routes that a newer rule refuses, providers without a key,
 * losses and ends.
 */
export function findWarnings(catalog: Catalog, { names: usable }: ProvidersInUse): CatalogFault[] {
  return [
    ...findKeptFaults(catalog),
    ...findProvidersWithoutKey(catalog, usable),
    ...findLosses(catalog, (provider) => usable.includes(provider)),
    ...findRetirements(catalog, (provider) => usable.includes(provider)),
  ];
}

/** Built-in routes name every provider, and only those with a key are meant. */
function findProvidersWithoutKey({ models, instances }: Catalog, usable: readonly string[]): CatalogFault[] {
  return [...models.values()]
    .filter(({ hasBuiltInRoutes }) => !hasBuiltInRoutes)
    .flatMap(({ id, routes }) =>
      routes.flatMap(({ provider }, index) => {
        if (usable.includes(provider)) {
          return [];
        }
        return [
          { path: `models.${id}.routes.${index}.provider`, message: describeMissing(provider, instances) },
        ];
      }),
    );
}

function describeMissing(provider: string, instances: Catalog['instances']): string {
  const keyEnv = instances.get(provider)?.keyEnv;
  return keyEnv === null
    ? `${provider} is called by no generation worker yet, or is not in PROVIDERS; it needs no key`
    : `${provider} has no key here${keyEnv === undefined ? '' : ` (${keyEnv})`}`;
}
