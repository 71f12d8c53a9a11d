import {
  type AspectRatio,
  QUALITIES,
  type Quality,
  RESOLUTIONS,
  type Resolution,
  TASK_TYPES,
} from '../../contract/index.js';
import { PROVIDER_NAMES } from '../../upstreams/index.js';
import { SPECIFIED_MODELS } from './built-in-document.js';
import type { Catalog, CatalogModel, CatalogRoute } from './catalog.js';
import type { CatalogFault } from './catalog-fault.js';
import { getCostMicros, listOffers, listResolutions } from './prices.js';

/** Checks that everything on offer has a route, that built-in models offer what the specification says, and that names are unique. */
export function checkModels(catalog: Catalog): CatalogFault[] {
  const faults = [...catalog.models.values()].flatMap((model) => [
    ...checkRoutes(model, catalog),
    ...checkDefaults(model),
    ...checkOffer(model),
    ...(SPECIFIED_MODELS.includes(model.id) ? checkSpecified(model) : []),
  ]);
  faults.push(...checkAliases(catalog));
  if (!catalog.models.has(catalog.defaultModel)) {
    faults.push({ path: 'default_model', message: `is no model; possible: ${list(catalog.models.keys())}` });
  }
  return faults;
}

function checkRoutes({ id, routes }: CatalogModel, { instances }: Catalog): CatalogFault[] {
  const possible: readonly string[] = [...PROVIDER_NAMES, ...instances.keys()];
  return routes.flatMap(({ provider }, index) =>
    possible.includes(provider)
      ? []
      : [
          {
            path: `models.${id}.routes.${index}.provider`,
            message: `unknown provider "${provider}"; possible: ${list(possible)}`,
          },
        ],
  );
}

function checkDefaults(model: CatalogModel): CatalogFault[] {
  const { id, defaultResolution, aspectRatios, defaultAspectRatio } = model;
  const offered = listResolutions(model);
  const faults: CatalogFault[] = [];
  if (offered.length === 0) {
    faults.push({
      path: `models.${id}.price`,
      message: 'is required: dollars an image by resolution (1k, 2k, 4k)',
    });
  } else if (!offered.includes(defaultResolution)) {
    faults.push({
      path: `models.${id}.default_resolution`,
      message: `has no price; possible: ${list(offered)}`,
    });
  }
  if (!aspectRatios.includes(defaultAspectRatio)) {
    faults.push({
      path: `models.${id}.default_aspect_ratio`,
      message: `is not in aspect_ratios; possible: ${list(aspectRatios)}`,
    });
  }
  if (model.routes.length === 0) {
    faults.push({ path: `models.${id}.routes`, message: 'is required: at least one route' });
  }
  return faults;
}

/** Reports everything on offer that no route can do: first types, then resolutions and qualities, ratios and inputs. */
function checkOffer(model: CatalogModel): CatalogFault[] {
  const { id, routes } = model;
  if (routes.length === 0) {
    return [];
  }
  const faults: CatalogFault[] = [];
  for (const type of model.types) {
    const able = routes.filter(({ types }) => types.includes(type));
    if (able.length === 0) {
      faults.push({
        path: `models.${id}.types`,
        message: `no route does ${type}; possible: ${list(TASK_TYPES.filter((one) => routes.some(({ types }) => types.includes(one))))}`,
      });
      continue;
    }
    for (const { resolution, quality } of listOffers(model)) {
      const name = quality === null ? resolution : `${resolution} ${quality}`;
      const drawing = able.filter((route) => getCostMicros(route, resolution, quality) !== undefined);
      if (drawing.length === 0) {
        faults.push({
          path: ['models', id, 'price', resolution, ...(quality === null ? [] : [quality])].join('.'),
          message: `no route offers it for ${type}; possible: ${list(listBought(able, { resolution, quality }))}`,
        });
        continue;
      }
      faults.push(...checkRatios(model, drawing, { resolution, name, type }));
      const most = Math.max(...drawing.map(({ maxInputs }) => maxInputs));
      if (type === 'image_edit' && most < Math.max(1, model.maxInputs)) {
        faults.push({
          path: `models.${id}.max_inputs`,
          message: `no route takes ${model.maxInputs} input images at ${name}; possible: up to ${most}`,
        });
      }
    }
  }
  return faults;
}

/** Lists the resolutions that routes buy; where a quality is missing, the qualities that they buy at its resolution. */
function listBought(
  routes: readonly CatalogRoute[],
  { resolution, quality }: ReturnType<typeof listOffers>[number],
): readonly string[] {
  const buys = (one: Resolution, of: Quality | null): boolean =>
    routes.some((route) => getCostMicros(route, one, of) !== undefined);
  return quality === null
    ? RESOLUTIONS.filter((one) => buys(one, null))
    : QUALITIES.filter((one) => buys(resolution, one));
}

function checkRatios(
  model: CatalogModel,
  routes: readonly CatalogRoute[],
  {
    resolution,
    name,
    type,
  }: { readonly resolution: Resolution; readonly name: string; readonly type: string },
): CatalogFault[] {
  // With `sizes` a route draws what they list; every protocol takes all ratios otherwise.
  const can = (ratio: AspectRatio): boolean =>
    routes.some(({ sizes }) => Object.keys(sizes).length === 0 || sizes[ratio]?.[resolution] !== undefined);
  const check = (field: string, ratios: readonly AspectRatio[]): CatalogFault[] =>
    ratios
      .filter((ratio) => !can(ratio))
      .map((ratio) => ({
        path: `models.${model.id}.${field}`,
        message: `no route draws ${ratio} at ${name} for ${type}; possible: ${list(ratios.filter(can))}`,
      }));
  const faults = check('aspect_ratios', model.aspectRatios);
  const facadeOnly = model.facadeAspectRatios.filter((ratio) => !model.aspectRatios.includes(ratio));
  return [...faults, ...check('facade_aspect_ratios', facadeOnly)];
}

/** `/v1` accepts for the built-in models exactly what the specification says. */
function checkSpecified(model: CatalogModel): CatalogFault[] {
  const path = (field: string): string => `models.${model.id}.${field}`;
  const faults: CatalogFault[] = [];
  const same = (given: readonly string[], wanted: readonly string[]): boolean =>
    given.length === wanted.length && wanted.every((one) => given.includes(one));
  const expectField = (field: string, isSpecified: boolean, specified: string): void => {
    if (!isSpecified) {
      faults.push({
        path: path(field),
        message: `the specification fixes it for this model; possible: ${specified}`,
      });
    }
  };
  expectField('types', same(model.types, TASK_TYPES), list(TASK_TYPES));
  expectField('aspect_ratios', same(model.aspectRatios, ['16:9', '9:16']), '16:9, 9:16');
  expectField('default_aspect_ratio', model.defaultAspectRatio === '16:9', '16:9');
  expectField('price', same(Object.keys(model.priceMicros), RESOLUTIONS), `a price for ${list(RESOLUTIONS)}`);
  expectField('default_resolution', model.defaultResolution === '1k', '1k');
  expectField('max_inputs', model.maxInputs === 9, '9');
  expectField('max_outputs', model.maxOutputs === 4, '4');
  return faults;
}

function checkAliases({ models }: Catalog): CatalogFault[] {
  const owners = new Map<string, string>();
  const faults: CatalogFault[] = [];
  for (const { id, aliases } of models.values()) {
    for (const [index, alias] of aliases.entries()) {
      const path = `models.${id}.aliases.${index}`;
      const owner = owners.get(alias);
      if (models.has(alias)) {
        faults.push({ path, message: `"${alias}" is the id of a model` });
      } else if (owner !== undefined) {
        faults.push({
          path,
          message: `"${alias}" is an alias of ${owner} already; give it to one model only`,
        });
      } else {
        owners.set(alias, id);
      }
    }
  }
  return faults;
}

function list(names: Iterable<string>): string {
  return [...names].join(', ') || 'none';
}
