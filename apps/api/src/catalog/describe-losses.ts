import {
  type Catalog,
  findLosses,
  formatFault,
  listEnabledModels,
} from '@image-gateway/shared/catalog/document';
import type { OfferSettings } from './page/view-models.js';

/** Describes in one line the models on offer that are sold below cost; null when none is. */
export function describeLosses(
  catalog: Catalog,
  { enabledModels, listProviders }: OfferSettings,
): string | null {
  const models = new Map(listEnabledModels(catalog, enabledModels).map((model) => [model.id, model]));
  const { names } = listProviders(catalog);
  const losses = findLosses({ ...catalog, models }, (provider) => names.includes(provider));
  return losses.length === 0
    ? null
    : `${losses.map(formatFault).join('; ')}. Raise the price with: catalog apply (docs/catalog.md)`;
}
