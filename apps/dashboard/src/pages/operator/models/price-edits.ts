import type { ModelChange, ModelItem } from '@image-gateway/shared/contract';

/** Fields of the form that an operator has edited, by model. */
export type PriceEdits = Readonly<
  Record<string, { readonly enabled?: boolean; readonly price?: Readonly<Record<string, string>> }>
>;

/** Returns the switch and the prices of a model as the form shows them. */
export const toChange = ({ id, enabled, prices }: ModelItem): ModelChange => ({
  id,
  enabled,
  price: Object.fromEntries(prices.map(({ resolution, price }) => [resolution, price.slice(1)])),
});

/** Adds an edit of one model to those before. */
export function addEdit(edits: PriceEdits, id: string, edit: PriceEdits[string]): PriceEdits {
  const before = edits[id];
  return { ...edits, [id]: { ...before, ...edit, price: { ...before?.price, ...edit.price } } };
}

/** Lays edits over the models of a version. Edits of models and resolutions that it does not have are left out. */
export function layEdits(models: readonly ModelChange[], edits: PriceEdits): ModelChange[] {
  return models.map((model) => {
    const edit = edits[model.id];
    return {
      id: model.id,
      enabled: edit?.enabled ?? model.enabled,
      price: Object.fromEntries(
        Object.entries(model.price).map(([resolution, amount]) => [
          resolution,
          edit?.price?.[resolution] ?? amount,
        ]),
      ),
    };
  });
}

/** Returns the models that differ from those of a version. */
export const findChanged = (
  models: readonly ModelChange[],
  edited: readonly ModelChange[],
): readonly ModelChange[] =>
  edited.filter((model, index) => JSON.stringify(model) !== JSON.stringify(models[index]));
