import {
  type CatalogModel,
  canServe,
  type Demand,
  findNearestRatio,
  getDefaultQuality,
  getPriceMicros,
  listQualities,
  listResolutions,
} from '@image-gateway/shared/catalog/document';
import {
  type AspectRatio,
  NOMINAL_SIDES,
  type Quality,
  type Resolution,
  type TaskType,
} from '@image-gateway/shared/contract';
import { invalidField } from '../../uploads/field-error.js';
import type { ImageSize } from '../../uploads/find-image-size.js';
import type { ImageFields } from './read-image-fields.js';

/** Share of a wished long side that a resolution must reach. */
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
 * Chooses ratio and resolution. Those that are given win, and without `size` the defaults of the model apply, on an edit with the shape of its
 * first image. Else the ratio is the nearest that a route draws, and the resolution the cheapest that is large enough. Only routes count that
 * take all needs of the request. Throws FieldError.
 */
export function chooseSize(model: CatalogModel, fields: ImageFields, task: SizedTask): ChosenSize {
  const { size, aspect_ratio: wishedRatio, resolution: wishedResolution } = fields;
  const [width, height] = size?.split(/[x:]/).map(Number) ?? [];
  const isSized = width !== undefined && height !== undefined;
  const isInPixels = isSized && size?.includes('x') === true;
  const sized = isInPixels ? chooseResolution(model, Math.max(width, height)) : model.defaultResolution;
  const resolution = findResolution(model, wishedResolution) ?? sized;
  const quality = chooseQuality(model, fields, resolution);
  const { type, inputs, firstSize, mask } = task;
  const needs = { quality, background: fields.background ?? null, mask: mask || null };
  const listRatios = (demand: Partial<Demand>): AspectRatio[] =>
    model.facadeAspectRatios.filter((aspectRatio) =>
      model.routes.some((route) =>
        canServe(route, { type, inputs, ...needs, resolution, aspectRatio, ...demand }),
      ),
    );
  const ratios = listRatios({});
  const [first, ...others] = ratios;
  if (first === undefined) {
    for (const [field, culprit] of Object.entries(needs)) {
      if (culprit !== null && listRatios({ [field]: null }).length > 0) {
        throw invalidField(
          field,
          `${culprit === true ? field : `${field} "${culprit}"`} is not supported: no route of ${model.id} takes it with the rest of the request.`,
        );
      }
    }
    const kind = inputs > 0 ? `edits of ${inputs} images` : 'images';
    throw invalidField('model', `The model ${model.id} offers no ${kind} at ${resolution}.`);
  }
  if (wishedRatio !== undefined) {
    const aspectRatio = ratios.find((ratio) => ratio === wishedRatio);
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

/** Returns width over height of an image as it is shown; null where that is not known. */
function readShape(size: ImageSize | null): number | null {
  if (size === null || size.isTurned === null) {
    return null;
  }
  return size.isTurned ? size.height / size.width : size.width / size.height;
}

/** Returns the quality that a request is priced by; null at a plain price, where it is a wish. Throws FieldError. */
function chooseQuality(
  model: CatalogModel,
  { quality }: ImageFields,
  resolution: Resolution,
): Quality | null {
  const offered = listQualities(model, resolution);
  if (offered.length === 0 || quality === undefined) {
    return getDefaultQuality(model, resolution);
  }
  const found = offered.find((one) => one === quality);
  if (!found) {
    throw invalidField('quality', `quality must be one of ${quote(['auto', ...offered])} with ${model.id}.`);
  }
  return found;
}

function findResolution(model: CatalogModel, wish: string | undefined): Resolution | undefined {
  if (wish === undefined) {
    return undefined;
  }
  const offered = listResolutions(model);
  const found = offered.find((resolution) => resolution === wish.toLowerCase());
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
