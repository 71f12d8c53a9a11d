import {
  type CatalogModel,
  type ProviderInstance,
  type ProvidersInUse,
  selectRoutes,
} from '@image-gateway/shared/catalog/document';

/** Lists the models that only the sandbox draws: test images, without a call of any upstream. */
export function listSandboxModels(
  models: readonly CatalogModel[],
  instances: ReadonlyMap<string, Pick<ProviderInstance, 'protocol'>>,
  providers: ProvidersInUse,
): readonly string[] {
  const isSandbox = (name: string): boolean =>
    name === 'sandbox' || instances.get(name)?.protocol === 'sandbox';
  return models
    .filter((model) => {
      const routes = selectRoutes(model, providers);
      return routes.length > 0 && routes.every(({ provider }) => isSandbox(provider));
    })
    .map(({ id }) => id);
}
