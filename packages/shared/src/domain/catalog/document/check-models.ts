import {
  type AspectRatio,
  QUALITIES,
  type Quality,
  RESOLUTIONS,
  type Resolution,
  TASK_TYPES,
  type TaskType,
} from '../../contract/index.js';
import { PROVIDER_NAMES } from '../../upstreams/index.js';
import { SPECIFIED_MODELS } from './built-in-document.js';
import type { Catalog, CatalogModel, CatalogRoute } from './catalog.js';
import type { CatalogFault } from './catalog-fault.js';
import { getCostMicros, listOffers, listResolutions } from './prices.js';

/** Fault of a field of a model. */
type FieldFault = readonly [field: string, message: string];

/** Checks that everything on offer has a route, that built-in models offer what the specification says, and that names are unique. */
export function checkModels(catalog: Catalog): CatalogFault[] {
  const { models, defaultModel } = catalog;
  const faults = [...models.values()].flatMap((model) =>
    [
      ...checkRoutes(model, catalog),
      ...checkDefaults(model),
      ...checkOffer(model),
      ...(SPECIFIED_MODELS.includes(model.id) ? checkSpecified(model) : []),
    ].map(([field, message]) => ({ path: `models.${model.id}.${field}`, message })),
  );
  const missing = { path: 'default_model', message: `is no model; possible: ${list(models.keys())}` };
  return [...faults, ...checkAliases(catalog), ...(models.has(defaultModel) ? [] : [missing])];
}

function checkRoutes({ routes }: CatalogModel, { instances }: Catalog): FieldFault[] {
  const possible: readonly string[] = [...PROVIDER_NAMES, ...instances.keys()];
  return routes.flatMap(({ provider }, index) =>
    possible.includes(provider)
      ? []
      : [[`routes.${index}.provider`, `unknown provider "${provider}"; possible: ${list(possible)}`]],
  );
}

function checkDefaults(model: CatalogModel): FieldFault[] {
  const { defaultResolution, aspectRatios, defaultAspectRatio, routes } = model;
  const offered = listResolutions(model);
  const faults: FieldFault[] = [];
  if (offered.length === 0) {
    faults.push(['price', 'is required: dollars an image by resolution (1k, 2k, 4k)']);
  } else if (!offered.includes(defaultResolution)) {
    faults.push(['default_resolution', `has no price; possible: ${list(offered)}`]);
  }
  if (!aspectRatios.includes(defaultAspectRatio)) {
    faults.push(['default_aspect_ratio', `is not in aspect_ratios; possible: ${list(aspectRatios)}`]);
  }
  if (routes.length === 0) {
    faults.push(['routes', 'is required: at least one route']);
  }
  return faults;
}

type Offer = ReturnType<typeof listOffers>[number] & { readonly type: TaskType };

/** Reports everything on offer that no route can do: first types, then resolutions and qualities, ratios and inputs. */
function checkOffer(model: CatalogModel): FieldFault[] {
  const { routes } = model;
  return (routes.length === 0 ? [] : model.types).flatMap((type) => {
    const able = routes.filter(({ types }) => types.includes(type));
    if (able.length === 0) {
      const possible = TASK_TYPES.filter((one) => routes.some(({ types }) => types.includes(one)));
      return [['types', `no route does ${type}; possible: ${list(possible)}`] as const];
    }
    return listOffers(model).flatMap((offer) => checkSold(model, able, { ...offer, type }));
  });
}

function checkSold(model: CatalogModel, able: readonly CatalogRoute[], offer: Offer): FieldFault[] {
  const { resolution, quality, type } = offer;
  const drawing = able.filter((route) => getCostMicros(route, resolution, quality) !== undefined);
  if (drawing.length === 0) {
    const field = ['price', resolution, ...(quality === null ? [] : [quality])].join('.');
    return [[field, `no route offers it for ${type}; possible: ${list(listBought(able, offer))}`]];
  }
  const name = quality === null ? resolution : `${resolution} ${quality}`;
  const most = Math.max(...drawing.map(({ maxInputs }) => maxInputs));
  const isTooFew = type === 'image_edit' && most < Math.max(1, model.maxInputs);
  const message = `no route takes ${model.maxInputs} input images at ${name}; possible: up to ${most}`;
  return [
    ...checkRatios(model, drawing, { ...offer, name }),
    ...(isTooFew ? [['max_inputs', message] as const] : []),
  ];
}

/** Lists the resolutions that routes buy; where a quality is missing, the qualities that they buy at its resolution. */
function listBought(routes: readonly CatalogRoute[], { resolution, quality }: Offer): readonly string[] {
  const buys = (one: Resolution, of: Quality | null): boolean =>
    routes.some((route) => getCostMicros(route, one, of) !== undefined);
  return quality === null
    ? RESOLUTIONS.filter((one) => buys(one, null))
    : QUALITIES.filter((one) => buys(resolution, one));
}

function checkRatios(
  { aspectRatios, facadeAspectRatios }: CatalogModel,
  routes: readonly CatalogRoute[],
  { resolution, name, type }: Offer & { readonly name: string },
): FieldFault[] {
  // With `sizes` a route draws what they list; every protocol takes all ratios otherwise.
  const can = (ratio: AspectRatio): boolean =>
    routes.some(({ sizes }) => Object.keys(sizes).length === 0 || sizes[ratio]?.[resolution] !== undefined);
  const check = (field: string, ratios: readonly AspectRatio[]): FieldFault[] =>
    ratios
      .filter((ratio) => !can(ratio))
      .map((ratio) => [
        field,
        `no route draws ${ratio} at ${name} for ${type}; possible: ${list(ratios.filter(can))}`,
      ]);
  const facadeOnly = facadeAspectRatios.filter((ratio) => !aspectRatios.includes(ratio));
  return [...check('aspect_ratios', aspectRatios), ...check('facade_aspect_ratios', facadeOnly)];
}

/** `/v1` accepts for the built-in models exactly what the specification says. */
function checkSpecified(model: CatalogModel): FieldFault[] {
  const same = (given: readonly string[], wanted: readonly string[]): boolean =>
    given.length === wanted.length && wanted.every((one) => given.includes(one));
  const expected: readonly (readonly [field: string, isSpecified: boolean, specified: string])[] = [
    ['types', same(model.types, TASK_TYPES), list(TASK_TYPES)],
    ['aspect_ratios', same(model.aspectRatios, ['16:9', '9:16']), '16:9, 9:16'],
    ['default_aspect_ratio', model.defaultAspectRatio === '16:9', '16:9'],
    ['price', same(Object.keys(model.priceMicros), RESOLUTIONS), `a price for ${list(RESOLUTIONS)}`],
    ['default_resolution', model.defaultResolution === '1k', '1k'],
    ['max_inputs', model.maxInputs === 9, '9'],
    ['max_outputs', model.maxOutputs === 4, '4'],
  ];
  return expected
    .filter(([, isSpecified]) => !isSpecified)
    .map(([field, , specified]) => [
      field,
      `the specification fixes it for this model; possible: ${specified}`,
    ]);
}

function checkAliases({ models }: Catalog): CatalogFault[] {
  const owners = new Map<string, string>();
  const given = [...models.values()].flatMap(({ id, aliases }) =>
    aliases.map((alias, index) => ({ id, alias, path: `models.${id}.aliases.${index}` })),
  );
  return given.flatMap(({ id, alias, path }) => {
    const owner = owners.get(alias);
    if (models.has(alias)) {
      return [{ path, message: `"${alias}" is the id of a model` }];
    }
    if (owner !== undefined) {
      return [{ path, message: `"${alias}" is an alias of ${owner} already; give it to one model only` }];
    }
    owners.set(alias, id);
    return [];
  });
}

function list(names: Iterable<string>): string {
  return [...names].join(', ') || 'none';
}
