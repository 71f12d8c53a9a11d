import type { ModelChange, ModelItem } from '@image-gateway/shared/catalog/schema';
import type { DollarsByQuality } from '@image-gateway/shared/contract';
import { listShown } from './offer-adder.js';

/**
 * Switch and prices of a model in the form. The name of a price is its resolution, with the quality where there is one: `2k high`. An
 * empty price is none.
 */
export interface PriceFields {
  readonly id: string;
  readonly enabled: boolean;
  readonly price: Readonly<Record<string, string>>;
}

/** Fields of the form that an operator has edited, by model, and the names of the prices that are added to it. */
export type PriceEdits = Readonly<
  Record<string, Partial<Omit<PriceFields, 'id'>> & { readonly added?: readonly string[] }>
>;

/** Returns the switch and the prices of a model as the form shows them. */
export const toFields = ({ id, enabled, prices }: ModelItem): PriceFields => ({
  id,
  enabled,
  price: Object.fromEntries(
    prices.map(({ resolution, quality, price }) => [
      quality === null ? resolution : `${resolution} ${quality}`,
      price.slice(1),
    ]),
  ),
});

/** Returns the change that the form sends. */
export function toChange({ price, ...model }: PriceFields): ModelChange {
  const byResolution: Record<string, DollarsByQuality> = {};
  for (const [name, amount] of Object.entries(price).filter(([, given]) => given.trim() !== '')) {
    const [resolution = '', quality] = name.split(' ');
    const before = byResolution[resolution];
    byResolution[resolution] =
      quality === undefined ? amount : { ...(typeof before === 'object' && before), [quality]: amount };
  }
  return { ...model, price: byResolution };
}

/** Adds an edit of one model to those before. */
export function addEdit(edits: PriceEdits, id: string, edit: PriceEdits[string]): PriceEdits {
  const before = edits[id];
  const added = [...(before?.added ?? []), ...(edit.added ?? [])];
  return { ...edits, [id]: { ...before, ...edit, added, price: { ...before?.price, ...edit.price } } };
}

/** Lays edits over the models of a version. Edits of models and prices that it does not have, and nobody added, are left out. */
export function layEdits(models: readonly PriceFields[], edits: PriceEdits): PriceFields[] {
  return models.map((model) => {
    const edit = edits[model.id];
    return {
      id: model.id,
      enabled: edit?.enabled ?? model.enabled,
      price: Object.fromEntries(
        listShown([...Object.keys(model.price), ...(edit?.added ?? [])]).map((name) => [
          name,
          edit?.price?.[name] ?? model.price[name] ?? '',
        ]),
      ),
    };
  });
}

/** Returns the models that differ from those of a version. */
export const findChanged = (
  models: readonly PriceFields[],
  edited: readonly PriceFields[],
): readonly PriceFields[] =>
  edited.filter((model, index) => {
    const before = models[index];
    return before === undefined || JSON.stringify(toChange(model)) !== JSON.stringify(toChange(before));
  });
