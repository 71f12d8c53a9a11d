import { PROTOCOLS, PROVIDER_NAMES } from '../../upstreams/index.js';
import { BUILT_IN_DOCUMENT } from './built-in-document.js';
import type { CatalogFault } from './catalog-fault.js';
import type { CatalogDocument, ModelEntry, RouteEntry } from './document-schema.js';
import { listFields } from './document-schema.js';
import type { MergedDocument } from './merge-documents.js';

const LEVELS = ['document', 'provider', 'model', 'route', 'accepts'] as const;

/** Names that a build reads in documents: fields level by level, protocols, and providers that need no entry. */
export type DocumentNames = Readonly<
  Record<(typeof LEVELS)[number] | 'protocols' | 'builtInProviders', readonly string[]>
>;

/**
 * Lists the names that this build reads. Its workers report them, since a process passes over a version with anything else and stays with
 * the one before.
 */
export function listDocumentNames(): DocumentNames {
  const fields = Object.fromEntries(LEVELS.map((level) => [level, listFields(level)]));
  return { ...fields, protocols: PROTOCOLS, builtInProviders: PROVIDER_NAMES } as DocumentNames;
}

/** Returns the names that each of several builds reads. */
export function intersectNames(builds: readonly Partial<DocumentNames>[]): DocumentNames {
  const own = Object.entries(listDocumentNames()) as [keyof DocumentNames, readonly string[]][];
  const common = own.map(([level, names]) => [
    level,
    names.filter((name) => builds.every((build) => build[level]?.includes(name))),
  ]);
  return Object.fromEntries(common) as DocumentNames;
}

/** Returns a fault for everything in a document that a build with these names can't read. */
export function findUnreadable(
  { built_in_routes: _own, providers = {}, models = {}, ...document }: Partial<MergedDocument>,
  known: DocumentNames,
): CatalogFault[] {
  const instances = Object.keys(providers);
  return [
    ...findUnknown(document, known.document, ''),
    ...Object.entries(providers).flatMap(([name, entry]) => [
      ...findUnknown(entry, known.provider, `providers.${name}`),
      ...findOther(entry.protocol, known.protocols, `providers.${name}.protocol`),
    ]),
    ...Object.entries(models).flatMap(([id, entry]) => [
      ...findUnknown(entry, known.model, `models.${id}`),
      ...(entry.routes ?? []).flatMap((route, index) =>
        findInRoute(route, known, { path: `models.${id}.routes.${index}`, instances }),
      ),
    ]),
  ];
}

/** Returns the built-in content as far as a build with these names reads it: whole models, with the routes that it knows. */
export function selectBuiltIn(
  known: DocumentNames,
): Omit<CatalogDocument, 'models'> & Pick<MergedDocument, 'default_model' | 'models'> {
  const models = Object.entries<ModelEntry>(BUILT_IN_DOCUMENT.models)
    .map(([id, { routes = [], ...entry }]): [string, ModelEntry] => {
      const readable = routes.filter((route) => findInRoute(route, known, { path: id }).length === 0);
      return [id, { ...entry, routes: readable }];
    })
    .filter(([id, entry]) => entry.routes?.length !== 0 && findUnknown(entry, known.model, id).length === 0);
  return { ...BUILT_IN_DOCUMENT, models: Object.fromEntries(models) };
}

function findInRoute(
  route: RouteEntry,
  known: DocumentNames,
  { path, instances = [] }: { readonly path: string; readonly instances?: readonly string[] },
): CatalogFault[] {
  return [
    ...findUnknown(route, known.route, path),
    ...findUnknown(route.accepts ?? {}, known.accepts, `${path}.accepts`),
    ...findOther(route.provider, [...known.builtInProviders, ...instances], `${path}.provider`),
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
