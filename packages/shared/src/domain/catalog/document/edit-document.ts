import type { Document, Node } from 'yaml';
import type { DollarsByQuality } from '../../contract/index.js';
import { BUILT_IN_DOCUMENT } from './built-in-document.js';
import type { CatalogFault } from './catalog-fault.js';
import type { CatalogDocument, ModelEntry, RouteEntry } from './document-schema.js';
import { mergeDocuments } from './merge-documents.js';
import { loadYaml, parseDocument } from './parse-document.js';

/** Route of a model that is edited. */
export interface RouteEdit {
  /** Its place among the routes of the model before; null for a new one. */
  readonly place: number | null;
  /** Values of the fields that change; null takes one away. Other fields stay. */
  readonly fields: { readonly [Name in keyof RouteEntry]?: RouteEntry[Name] | null };
}

/** Change of a model: whether it is on offer, all of its prices, all of its routes. Absent fields stay. */
export interface ModelEdit {
  readonly id: string;
  readonly enabled?: boolean;
  /** By resolution; replaces all prices of the model. */
  readonly price?: Readonly<Record<string, DollarsByQuality>>;
  /** In the order of preference; a route that is not named goes. */
  readonly routes?: readonly RouteEdit[];
}

const PROVIDERS = 'providers';

/** Writes switches, prices and routes of models into the text of a document; comments and everything else stay. */
export function editModels(source: string, edits: readonly ModelEdit[]): string {
  const document = read(source);
  for (const { id, enabled, price, routes } of edits) {
    const before = mergeDocuments(BUILT_IN_DOCUMENT, document.toJS() as CatalogDocument).models[id] ?? {};
    if (enabled !== undefined) {
      document.setIn(['models', id, 'enabled'], enabled);
    }
    if (price !== undefined) {
      document.setIn(['models', id, 'price'], createFlow(document, price));
    }
    if (routes !== undefined) {
      editRoutes(document, { id, before, routes });
    }
    keepBuiltIn(document, id, before);
  }
  return write(document);
}

/** Writes the routes of a model in their order. Built-in ones stand in no text yet, and are written out. */
function editRoutes(
  document: Document,
  {
    id,
    before,
    routes,
  }: { readonly id: string; readonly before: ModelEntry } & Required<Pick<ModelEdit, 'id' | 'routes'>>,
): void {
  const { isMap, isSeq } = loadYaml();
  const path = ['models', id, 'routes'];
  const stated = document.getIn(path, true);
  const known: unknown[] = isSeq(stated)
    ? [...stated.items]
    : (before.routes ?? []).map((route) => createFlow(document, route));
  const items = routes.map(({ place, fields }) => {
    const route = place === null ? createFlow(document, {}) : known[place];
    if (!isMap(route)) {
      throw new Error(`${id} has no route at place ${place}`);
    }
    for (const [name, value] of Object.entries(fields)) {
      if (value === null) {
        route.delete(name);
      } else {
        route.set(name, createFlow(document, value));
      }
    }
    return route;
  });
  if (isSeq(stated)) {
    stated.items = items;
  } else {
    document.setIn(path, document.createNode(items));
  }
}

/** Writes out what a model had from the built-in document where an edit makes its entry one that stands alone. */
function keepBuiltIn(document: Document, id: string, before: ModelEntry): void {
  const { models } = mergeDocuments(BUILT_IN_DOCUMENT, document.toJS() as CatalogDocument);
  for (const [name, value] of Object.entries(before)) {
    if (models[id]?.[name as keyof ModelEntry] === undefined) {
      document.setIn(['models', id, name], createFlow(document, value));
    }
  }
}

/** Creates a value on one line. Equal parts are written out, because documents have no anchors. */
const createFlow = (document: Document, value: unknown): Node =>
  document.createNode(value, { flow: true, aliasDuplicateObjects: false });

/** Writes a new model into the text of a document; comments and everything else stay. Returns a fault for one that stands there. */
export function addModel(
  source: string,
  id: string,
  entry: ModelEntry,
): { readonly source: string; readonly lines: string } | { readonly faults: readonly CatalogFault[] } {
  const parsed = parseDocument(source);
  if ('faults' in parsed) {
    return parsed;
  }
  const document = read(source);
  if (document.hasIn(['models', id]) || Object.hasOwn(BUILT_IN_DOCUMENT.models, id)) {
    return { faults: [{ path: `models.${id}`, message: 'is a model of the catalog already' }] };
  }
  const { price, routes, aspect_ratios: ratios, types, ...rest } = entry;
  const flow = (value: unknown) => createFlow(document, value);
  document.setIn(
    ['models', id],
    document.createNode({
      ...rest,
      ...(types && { types: flow(types) }),
      ...(ratios && { aspect_ratios: flow(ratios) }),
      price: flow(price),
      routes: routes?.map(flow),
    }),
  );
  const alone = read('');
  alone.set(id, document.getIn(['models', id], true));
  return { source: write(document), lines: write(alone) };
}

/** Returns the text of a document without its providers. */
export function removeProviders(source: string): string {
  const document = read(source);
  if (!document.has(PROVIDERS)) {
    return source;
  }
  document.delete(PROVIDERS);
  return write(document);
}

/**
 * Completes a text that has no providers with those of another document. Returns faults for a text that is no YAML or has
 * providers of its own.
 */
export function keepProviders(
  source: string,
  active: string,
): { readonly source: string } | { readonly faults: readonly CatalogFault[] } {
  const parsed = parseDocument(source);
  if ('faults' in parsed) {
    return parsed;
  }
  const document = read(source);
  if (document.has(PROVIDERS)) {
    const message = 'are changed by catalog apply and CATALOG_FILE only; leave them out here';
    return { faults: [{ path: PROVIDERS, message }] };
  }
  const providers = read(active).get(PROVIDERS, true);
  if (providers === undefined) {
    return { source };
  }
  document.set(PROVIDERS, providers);
  return { source: write(document) };
}

function read(source: string): Document {
  const { isMap, parseDocument: parseYaml } = loadYaml();
  const document: Document = parseYaml(source, { version: '1.2', schema: 'core', logLevel: 'silent' });
  if (!isMap(document.contents)) {
    document.contents = document.createNode({}) as unknown as Document['contents'];
  }
  return document;
}

function write(document: Document): string {
  if (loadYaml().isMap(document.contents) && document.contents.items.length === 0) {
    return '';
  }
  return document.toString({ lineWidth: 0 });
}
