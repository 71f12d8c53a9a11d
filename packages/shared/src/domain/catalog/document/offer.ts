import type { AspectRatio, Resolution, TaskType } from '../../contract/index.js';
import type { Catalog, CatalogModel } from './catalog.js';

/** Properties of a request that decide which routes can do it. */
export interface Demand {
  readonly type: TaskType;
  readonly resolution: Resolution;
  readonly aspectRatio: AspectRatio;
  readonly inputs: number;
}

/** Returns the models on offer: those that ENABLED_MODELS names where it is set, else the enabled ones. */
export function listEnabledModels(
  { models }: Pick<Catalog, 'models'>,
  setting: readonly string[] | undefined,
): CatalogModel[] {
  const all = [...models.values()];
  return all.filter(({ id, enabled }) => (setting && setting.length > 0 ? setting.includes(id) : enabled));
}

/** Returns true if a route can do what is demanded. */
export function canServe(
  { types, costMicros, maxInputs, sizes }: CatalogModel['routes'][number],
  { type, resolution, aspectRatio, inputs }: Demand,
): boolean {
  return (
    types.includes(type) &&
    costMicros[resolution] !== undefined &&
    inputs <= maxInputs &&
    (Object.keys(sizes).length === 0 || sizes[aspectRatio]?.[resolution] !== undefined)
  );
}
