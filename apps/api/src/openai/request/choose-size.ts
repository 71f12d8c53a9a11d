import {
  type CatalogModel,
  findNearestRatio,
  findPurchase,
  findRoutes,
  getPriceMicros,
  listQualities,
  listResolutions,
  type Requirements,
} from '@image-gateway/shared/catalog/document';
import {
  type AspectRatio,
  NOMINAL_SIDES,
  type Quality,
  type Resolution,
  type TaskType,
} from '@image-gateway/shared/contract';
import { findUnmet, readRequirements } from '@image-gateway/shared/task';
import { invalidField } from '../../file/uploads/field-error.js';
import { type ImageSize, readShape } from '../../file/uploads/find-image-size.js';
import type { ImageFields } from './read-image-fields.js';

/** Share of a long side that is asked for that a resolution must reach. */
const MIN_SHARE = 0.66;

/** Task that a size is chosen for. */
export interface SizedTask {
  readonly type: TaskType;
  readonly inputs: number;
  /** Of the first input image; null where the gateway does not know it. */
  readonly firstSize: ImageSize | null;
  readonly mask: boolean;
}

/** Size of a task, and the quality that it is priced by; null at a plain price. */
interface ChosenSize {
  readonly aspectRatio: AspectRatio;
  readonly resolution: Resolution;
  readonly quality: Quality | null;
  /** Ratios of an edit whose shape follows its first image; absent: the ratio stands. */
  readonly shapeRatios?: readonly AspectRatio[];
}

/**
 * Chooses ratio and resolution. Those that are given win, and without `size` the defaults of the model apply, on an edit with
 * the shape of its first image. Else the ratio is the nearest that a route draws, and the resolution the cheapest that is large
 * enough. Only routes count that meet all requirements of the request. Throws FieldError.
 */
export function chooseSize(model: CatalogModel, fields: ImageFields, task: SizedTask): ChosenSize {
  const { size, aspect_ratio: askedRatio, resolution: askedResolution } = fields;
  const [width, height] = size?.split(/[x:]/).map(Number) ?? [];
  const isSized = width !== undefined && height !== undefined;
  const isInPixels = isSized && size?.includes('x') === true;
  const sized = isInPixels ? chooseResolution(model, Math.max(width, height)) : model.defaultResolution;
  const resolution = findResolution(model, askedResolution) ?? sized;
  const quality = chooseQuality(model, fields, resolution);
  const { type, inputs, firstSize, mask } = task;
  const required = readRequirements({ background: fields.background, mask: mask || null });
  const listRatios = (other: Requirements): AspectRatio[] => {
    const bought = other.quality === null ? chooseQuality(model, {}, resolution) : quality;
    const asked = { type, inputs, ...required, ...other, quality: bought, resolution };
    return model.facadeAspectRatios.filter(
      (aspectRatio) => findRoutes(model, { ...asked, aspectRatio }).length > 0,
    );
  };
  const ratios = listRatios({});
  const [first, ...others] = ratios;
  if (first === undefined) {
    const asked = { ...required, quality: fields.quality === undefined ? null : quality };
    refuseUnmet(model, asked, (other) => listRatios(other).length > 0);
    const kind = inputs > 0 ? `edits of ${inputs} images` : 'images';
    throw invalidField('model', `The model ${model.id} offers no ${kind} at ${resolution}.`);
  }
  if (askedRatio !== undefined) {
    const aspectRatio = ratios.find((ratio) => ratio === askedRatio);
    if (!aspectRatio) {
      throw invalidField('aspect_ratio', `aspect_ratio must be one of ${quote(ratios)} with ${model.id}.`);
    }
    return { aspectRatio, resolution, quality };
  }
  const shape = isSized ? width / height : readShape(firstSize);
  if (shape !== null) {
    return { aspectRatio: findNearestRatio([first, ...others], shape), resolution, quality };
  }
  const { defaultAspectRatio } = model;
  const aspectRatio = ratios.includes(defaultAspectRatio) ? defaultAspectRatio : first;
  // The image may be one that only a worker reads; the default ratio stands until then.
  return { aspectRatio, resolution, quality, ...(inputs > 0 && { shapeRatios: ratios }) };
}

/** Throws FieldError for required fields that no single route of a model takes, as far as they are known. */
export function refuseUnmet(
  model: CatalogModel,
  required: Parameters<typeof findUnmet>[1],
  can = (other: Requirements): boolean => findRoutes(model, { ...required, ...other }).length > 0,
): void {
  const unmet = can({}) ? null : findUnmet(model, required, can);
  if (unmet !== null) {
    throw invalidField(unmet.field, unmet.sentence);
  }
}

/** Returns the quality that a request is priced by; null at a plain price, where it is a preference. Throws FieldError. */
function chooseQuality(
  model: CatalogModel,
  { quality }: Pick<ImageFields, 'quality'>,
  resolution: Resolution,
): Quality | null {
  const offered = listQualities(model, resolution);
  if (offered.length === 0 || quality === undefined) {
    return findPurchase(model, resolution)?.quality ?? null;
  }
  const purchase = quality === null ? undefined : findPurchase(model, resolution, quality);
  if (!purchase) {
    throw invalidField('quality', `quality must be one of ${quote(['auto', ...offered])} with ${model.id}.`);
  }
  return purchase.quality;
}

function findResolution(model: CatalogModel, name: string | undefined): Resolution | undefined {
  if (name === undefined) {
    return undefined;
  }
  const offered = listResolutions(model);
  const found = offered.find((resolution) => resolution === name.toLowerCase());
  if (!found) {
    throw invalidField('resolution', `resolution must be one of ${quote(offered)} with ${model.id}.`);
  }
  return found;
}

/** Returns the cheapest resolution that is large enough, else the largest; of equal prices the smaller one. */
function chooseResolution(model: CatalogModel, longSide: number): Resolution {
  const offered = listResolutions(model);
  const price = (resolution: Resolution): bigint => getPriceMicros(model, resolution, null) ?? 0n;
  const enough = offered.filter((resolution) => NOMINAL_SIDES[resolution] >= MIN_SHARE * longSide);
  const [cheapest] = enough.sort((a, b) => Number(price(a) - price(b)));
  return cheapest ?? offered.at(-1) ?? model.defaultResolution;
}

function quote(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(', ');
}
