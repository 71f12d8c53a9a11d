import {
  ASPECT_RATIOS,
  type AspectRatio,
  RESOLUTIONS,
  type Resolution,
  TASK_TYPES,
} from '../../contract/index.js';
import { parseDollarsOrZero } from '../../money/index.js';
import { describeAbilities, PROTOCOLS, type TaskSettings } from '../../upstreams/index.js';
import { BUILT_IN_DOCUMENT, SPECIFIED_MODELS } from './built-in-document.js';
import type { Amounts, Catalog, CatalogModel, CatalogRoute, ProviderInstance, TokenCost } from './catalog.js';
import type {
  DollarsEntry,
  ModelEntry,
  ProviderEntry,
  RouteEntry,
  TokenCostEntry,
} from './document-schema.js';
import { findRoutes } from './find-model-routes.js';
import type { MergedDocument } from './merge-documents.js';
import { getPriceMicros, listOffers, listResolutions } from './prices.js';
import { readAccepts } from './read-accepts.js';
import { readRetirement } from './retirements.js';

const DEFAULT_RATIOS = ['16:9', '9:16'] as const;

/** Applies the defaults to a merged document of the right shape. */
export function readCatalog(document: MergedDocument): Catalog {
  const builtIn = new Set(document.built_in_routes);
  const instances = new Map(
    Object.entries(document.providers ?? {}).map(([name, entry]) => [name, toInstance(name, entry)]),
  );
  return {
    defaultModel: document.default_model,
    models: new Map(
      Object.entries(document.models)
        .sort(compareModels)
        .map(([id, entry]) => [id, toModel(id, entry, { hasBuiltInRoutes: builtIn.has(id), instances })]),
    ),
    instances,
  };
}

/** Built-in models come first, the others by id: the database does not keep the order of the document. */
function compareModels([a]: readonly [string, ModelEntry], [b]: readonly [string, ModelEntry]): number {
  const order = Object.keys(BUILT_IN_DOCUMENT.models);
  const rank = (id: string): number => (order.includes(id) ? order.indexOf(id) : order.length);
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

function toModel(
  id: string,
  entry: ModelEntry,
  { hasBuiltInRoutes, instances }: Pick<CatalogModel, 'hasBuiltInRoutes'> & Pick<Catalog, 'instances'>,
): CatalogModel {
  const priceMicros = toMicros(entry.price);
  const aspectRatios = entry.aspect_ratios ?? DEFAULT_RATIOS;
  const [firstRatio = '16:9'] = aspectRatios;
  const types = entry.types ?? TASK_TYPES;
  const routes = (entry.routes ?? []).map((route) => toRoute(route, instances.get(route.provider)));
  return {
    id,
    name: entry.name ?? id,
    family: entry.family ?? null,
    enabled: entry.enabled ?? true,
    types,
    priceMicros,
    defaultResolution: entry.default_resolution ?? cheapest(priceMicros),
    aspectRatios,
    defaultAspectRatio: entry.default_aspect_ratio ?? (aspectRatios.includes('16:9') ? '16:9' : firstRatio),
    maxInputs: entry.max_inputs ?? 9,
    maxOutputs: entry.max_outputs ?? 4,
    aliases: entry.aliases ?? [],
    facadeAspectRatios:
      entry.facade_aspect_ratios ??
      (SPECIFIED_MODELS.includes(id) ? listDrawnRatios({ types, priceMicros, routes }) : aspectRatios),
    routes,
    hasBuiltInRoutes,
  };
}

/** Returns the ratios that routes draw for every type and at every resolution on offer. */
function listDrawnRatios({
  types,
  priceMicros,
  routes,
}: Pick<CatalogModel, 'types' | 'priceMicros' | 'routes'>): AspectRatio[] {
  const sold = types.flatMap((type) => listOffers({ priceMicros }).map((offer) => ({ ...offer, type })));
  return ASPECT_RATIOS.filter((aspectRatio) =>
    sold.every((offer) => findRoutes({ routes }, { ...offer, aspectRatio }).length > 0),
  );
}

function toRoute(entry: RouteEntry, instance: ProviderInstance | undefined): CatalogRoute {
  const abilities = instance?.task ? describeTask(instance.task) : null;
  const protocol = instance?.protocol ?? PROTOCOLS.find((name) => name === entry.provider);
  return {
    provider: entry.provider,
    model: entry.model,
    costMicros: toMicros(entry.cost),
    ...readAccepts(entry, protocol, abilities?.accepts),
    types: entry.types ?? abilities?.types ?? TASK_TYPES,
    minInputs: entry.min_inputs ?? 1,
    maxInputs: entry.max_inputs ?? abilities?.maxInputs ?? 9,
    maxImagesPerCall: entry.max_images_per_call ?? abilities?.maxImagesPerCall ?? null,
    weight: entry.weight ?? null,
    concurrency: entry.concurrency ?? null,
    options: entry.options ?? {},
    sizes: entry.sizes ?? {},
    resolution: entry.resolution ?? 'sent',
    timeoutMs: entry.timeout === undefined ? null : entry.timeout * 1_000,
    tokenCost: entry.token_cost ? toTokenCost(entry.token_cost) : null,
    retires: readRetirement(entry, protocol),
  };
}

function toTokenCost({
  out,
  text_in: textIn,
  image_in: imageIn,
  text_out: textOut,
}: TokenCostEntry): TokenCost {
  const read = (dollars = '0'): bigint => parseDollarsOrZero(dollars);
  return { textIn: read(textIn), imageIn: read(imageIn), textOut: read(textOut ?? out), imageOut: read(out) };
}

/** Returns what a route to a task API can do unless the document says it: no more than the body of its submission. */
function describeTask(
  settings: TaskSettings,
): Pick<CatalogRoute, 'types' | 'maxInputs' | 'maxImagesPerCall' | 'accepts'> {
  const { takesInputs, editsByDefault, takesNumber, accepts } = describeAbilities(settings);
  return {
    types: editsByDefault ? TASK_TYPES : ['image_generate'],
    maxInputs: takesInputs ? 9 : 0,
    maxImagesPerCall: takesNumber ? null : 1,
    accepts,
  };
}

function toInstance(name: string, entry: ProviderEntry): ProviderInstance {
  const { protocol, concurrency = null, repeat_unknown: repeatUnknown = false, ...addressed } = entry;
  const { base_url: baseUrl = null, api_path: apiPath = null, key_env: keyEnv = null, ...rest } = addressed;
  const task = protocol === 'task' ? rest : null;
  return { name, protocol, baseUrl, apiPath, keyEnv, concurrency, repeatUnknown, task };
}

function toMicros(dollars: Readonly<Partial<Record<Resolution, DollarsEntry>>> = {}): Amounts {
  const amounts = RESOLUTIONS.flatMap((resolution) => {
    const entry = dollars[resolution];
    return entry === undefined ? [] : [[resolution, toAmount(entry)] as const];
  });
  return Object.fromEntries(amounts);
}

function toAmount(entry: DollarsEntry): NonNullable<Amounts[Resolution]> {
  return typeof entry === 'string'
    ? parseDollarsOrZero(entry)
    : Object.fromEntries(
        Object.entries(entry).map(([quality, amount]) => [quality, parseDollarsOrZero(amount)]),
      );
}

function cheapest(priceMicros: CatalogModel['priceMicros']): Resolution {
  const offered = listResolutions({ priceMicros });
  const price = (resolution: Resolution): bigint => getPriceMicros({ priceMicros }, resolution, null) ?? 0n;
  const [first = '1k'] = [...offered].sort((a, b) => Number(price(a) - price(b)));
  return offered.includes('1k') ? '1k' : first;
}
