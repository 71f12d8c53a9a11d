import {
  type Catalog,
  listEnabledModels,
  type ProvidersInUse,
  selectRoutes,
} from '@image-gateway/shared/catalog/document';
import { listSandboxModels } from '../provider/list-sandbox-models.js';

/** Models that are switched on and sold in another way than their prices suggest. */
export interface JudgedOffer {
  /** Not on offer until a provider in use can draw them. */
  readonly waiting: readonly string[];
  /** Drawn by the sandbox alone, so that customers pay for test images. */
  readonly sandbox: readonly string[];
}

/** Names the models that are switched on and not on offer, and those that only the sandbox draws. */
export function judgeOffer(
  catalog: Catalog,
  {
    enabledModels,
    providers,
  }: {
    /** ENABLED_MODELS. */
    readonly enabledModels: readonly string[] | undefined;
    readonly providers: ProvidersInUse;
  },
): JudgedOffer {
  const enabled = listEnabledModels(catalog, enabledModels);
  const waiting = enabled.filter((model) => selectRoutes(model, providers).length === 0);
  return {
    waiting: waiting.map(({ id }) => id),
    sandbox: listSandboxModels(enabled, catalog, providers),
  };
}
