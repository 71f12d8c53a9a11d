import { type CatalogModel, findPurchase } from '../catalog/document/index.js';
import type { GenerateRequest, Quality } from '../contract/index.js';
import { AppError } from '../errors/index.js';

/** Price of a task, and the catalog versions that it is from. */
export interface TaskPrice {
  /** Micro-dollars an image. */
  readonly unitMicros: bigint;
  /** Quality that the price is for; null for a plain price. */
  readonly quality: Quality | null;
  readonly catalogVersion: number;
  /** Newest version that was known, readable or not: a newer one that is seconds old refuses the insert. */
  readonly newestVersion: number;
}

/** Models on offer, and the catalog versions that they are from. */
export interface PriceList {
  readonly models: readonly CatalogModel[];
  readonly version: number;
  readonly newestVersion: number;
}

/** Returns the price of a request. Throws AppError `VALIDATION_ERROR` for one that is not on offer. */
export function getPrice(
  { models, version, newestVersion }: PriceList,
  request: Pick<GenerateRequest, 'model' | 'resolution' | 'quality'>,
): TaskPrice {
  const { model: id, resolution, quality } = request;
  const model = models.find((one) => one.id === id);
  const purchase = model && findPurchase(model, resolution, quality);
  if (!purchase) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `model ${id} is no longer offered at ${resolution}${quality ? ` and quality ${quality}` : ''}.`,
    });
  }
  return { ...purchase, catalogVersion: version, newestVersion };
}

/** Returns what a request costs at most and holds until its end, in micro-dollars. */
export function getHoldMicros(
  { num_outputs }: Pick<GenerateRequest, 'num_outputs'>,
  { unitMicros }: Pick<TaskPrice, 'unitMicros'>,
): bigint {
  return unitMicros * BigInt(num_outputs);
}
