import type { Catalog, ProvidersInUse } from '@image-gateway/shared/catalog/document';

/** Lists the providers in use under a catalog. */
export type ListProviders = (catalog: Pick<Catalog, 'instances'>) => ProvidersInUse;
