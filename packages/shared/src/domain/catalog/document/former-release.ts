import { BUILT_IN_DOCUMENT } from './built-in-document.js';
import type { CatalogDocument, ModelEntry, RouteEntry } from './catalog-document.js';
import type { CatalogFault } from './catalog-fault.js';

/**
 * Fields and values that the schema of the former release knows, level by level. Its processes pass over a version with
 * anything else and stay with the one before. A new release replaces the lists by those of the release before it.
 */
export const FORMER_RELEASE = {
  version: '0.2.0',
  document: ['$schema', 'default_model', 'providers', 'models', 'built_in_routes'],
  provider: ['protocol', 'base_url', 'key_env', 'concurrency'],
  model: [
    'name',
    'family',
    'enabled',
    'types',
    'price',
    'default_resolution',
    'aspect_ratios',
    'default_aspect_ratio',
    'max_inputs',
    'max_outputs',
    'aliases',
    'facade_aspect_ratios',
    'routes',
  ],
  route: [
    'provider',
    'model',
    'cost',
    'types',
    'max_inputs',
    'max_images_per_call',
    'weight',
    'concurrency',
    'options',
    'sizes',
    'resolution',
  ],
  protocols: ['gemini', 'fal', 'replicate', 'openrouter', 'openai', 'comfyui', 'sandbox'],
  /** Providers that need no entry in `providers`. */
  builtInProviders: ['gemini', 'fal', 'replicate', 'openrouter', 'openai', 'sandbox'],
} as const;

/** Returns a fault for everything in a document that processes of the former release can't read. */
export function findUnreadable({
  providers = {},
  models = {},
  ...document
}: CatalogDocument): CatalogFault[] {
  return [
    ...findUnknown(document, FORMER_RELEASE.document, ''),
    ...Object.entries(providers).flatMap(([name, entry]) => [
      ...findUnknown(entry, FORMER_RELEASE.provider, `providers.${name}`),
      ...findOther(entry.protocol, FORMER_RELEASE.protocols, `providers.${name}.protocol`),
    ]),
    ...Object.entries(models).flatMap(([id, entry]) => [
      ...findInModel(entry, `models.${id}`),
      ...(entry.routes ?? []).flatMap((route, index) =>
        findInRoute(route, { path: `models.${id}.routes.${index}`, instances: Object.keys(providers) }),
      ),
    ]),
  ];
}

/** Built-in content as far as the former release can read it. The cost of tokens is left out, since routes work without it. */
export const FORMER_BUILT_IN = {
  ...BUILT_IN_DOCUMENT,
  models: Object.fromEntries(
    Object.entries<ModelEntry>(BUILT_IN_DOCUMENT.models)
      .filter(([id, entry]) => findInModel(entry, id).length === 0)
      .map(([id, { routes = [], ...entry }]) => [
        id,
        {
          ...entry,
          routes: routes
            .map(({ token_cost: _cost, ...route }) => route)
            .filter((route) => findInRoute(route, { path: id }).length === 0),
        },
      ]),
  ),
};

function findInModel(entry: ModelEntry, path: string): CatalogFault[] {
  return [...findUnknown(entry, FORMER_RELEASE.model, path), ...findByQuality(entry.price, `${path}.price`)];
}

function findInRoute(
  route: RouteEntry,
  { path, instances = [] }: { readonly path: string; readonly instances?: readonly string[] },
): CatalogFault[] {
  return [
    ...findUnknown(route, FORMER_RELEASE.route, path),
    ...findByQuality(route.cost, `${path}.cost`),
    ...findOther(route.provider, [...FORMER_RELEASE.builtInProviders, ...instances], `${path}.provider`),
  ];
}

function findUnknown(entry: object, known: readonly string[], path: string): CatalogFault[] {
  return Object.keys(entry)
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: path === '' ? name : `${path}.${name}`, message: 'a new field' }));
}

function findOther(value: string, known: readonly string[], path: string): CatalogFault[] {
  return known.includes(value) ? [] : [{ path, message: `"${value}" is new` }];
}

function findByQuality(amounts: ModelEntry['price'] = {}, path: string): CatalogFault[] {
  return Object.entries(amounts)
    .filter(([, amount]) => typeof amount !== 'string')
    .map(([resolution]) => ({ path: `${path}.${resolution}`, message: 'amounts by quality are new' }));
}
