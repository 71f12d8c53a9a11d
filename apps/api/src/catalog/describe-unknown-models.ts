import type { Catalog } from '@image-gateway/shared/catalog/document';

/** Describes names of ENABLED_MODELS that are no models of the catalog; null when all are. */
export function describeUnknownModels(
  { models }: Pick<Catalog, 'models'>,
  enabledModels: readonly string[] = [],
): string | null {
  const unknown = enabledModels.filter((id) => !models.has(id));
  const known = [...models.keys()].join(', ');
  return unknown.length === 0
    ? null
    : `ENABLED_MODELS names ${unknown.join(', ')}, not in the catalog; known models: ${known}`;
}
