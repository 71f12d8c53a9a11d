import {
  type Catalog,
  type CatalogModel,
  isSandbox,
  type ProvidersInUse,
  selectRoutes,
} from '@image-gateway/shared/catalog/document';

/** Lists the models that only the sandbox draws: test images, without a call of any upstream. */
export function listSandboxModels(
  models: readonly CatalogModel[],
  catalog: Pick<Catalog, 'instances'>,
  providers: ProvidersInUse,
): readonly string[] {
  return models
    .filter((model) => {
      const routes = selectRoutes(model, providers);
      return routes.length > 0 && routes.every(({ provider }) => isSandbox(catalog, provider));
    })
    .map(({ id }) => id);
}
