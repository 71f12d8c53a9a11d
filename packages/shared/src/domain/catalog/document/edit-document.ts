import { type Document, isMap, parseDocument as parseYaml } from 'yaml';
import type { DollarsByQuality } from '../../contract/index.js';
import { BUILT_IN_DOCUMENT } from './built-in-document.js';
import type { CatalogFault } from './catalog-fault.js';
import type { ModelEntry } from './document-schema.js';
import { parseDocument } from './parse-document.js';

/** Change of a model: whether it is on offer, and all of its prices. Absent fields stay. */
export interface ModelEdit {
  readonly id: string;
  readonly enabled?: boolean;
  /** By resolution; replaces all prices of the model. */
  readonly price?: Readonly<Record<string, DollarsByQuality>>;
}

const PROVIDERS = 'providers';

/** Writes switches and prices of models into the text of a document; comments and everything else stay. */
export function editModels(source: string, edits: readonly ModelEdit[]): string {
  const document = read(source);
  for (const { id, enabled, price } of edits) {
    if (enabled !== undefined) {
      document.setIn(['models', id, 'enabled'], enabled);
    }
    if (price !== undefined) {
      document.setIn(['models', id, 'price'], document.createNode(price, { flow: true }));
    }
  }
  return write(document);
}

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
  const flow = (value: unknown) => document.createNode(value, { flow: true });
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
  const document: Document = parseYaml(source, { version: '1.2', schema: 'core', logLevel: 'silent' });
  if (!isMap(document.contents)) {
    document.contents = document.createNode({}) as unknown as Document['contents'];
  }
  return document;
}

function write(document: Document): string {
  if (isMap(document.contents) && document.contents.items.length === 0) {
    return '';
  }
  return document.toString({ lineWidth: 0 });
}
