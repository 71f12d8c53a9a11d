import { BUILT_IN_DOCUMENT } from './built-in-document.js';
import type { Catalog } from './catalog.js';
import { type CatalogFault, formatFault } from './catalog-fault.js';
import { checkModels } from './check-models.js';
import { checkProviders } from './check-providers.js';
import { type CheckedShape, checkShape } from './check-shape.js';
import { findProtocolFaults } from './find-protocol-faults.js';
import { type DocumentNames, findUnreadable, selectBuiltIn } from './find-unreadable.js';
import { type MergedDocument, mergeDocuments } from './merge-documents.js';
import { parseDocument } from './parse-document.js';
import { readCatalog } from './read-catalog.js';

/** Document that can be applied, or all of its faults. */
export type CheckedDocument =
  | { readonly document: MergedDocument; readonly catalog: Catalog }
  | { readonly faults: readonly CatalogFault[] };

/**
 * Checks the text of an operator's document as a whole and merges it over the built-in one. Returns every fault at once. An address
 * or a route that `stored`, the newest stored document, has too is not judged by the rules of its protocol.
 */
export function checkDocument(source: string, stored?: unknown): CheckedDocument {
  return checkOver(BUILT_IN_DOCUMENT, source, stored);
}

/**
 * Checks a document that builds with these names read too, and merges it over the built-in content that they know. Returns
 * everything that they can't read as a fault.
 */
export function checkForPrevious(source: string, known: DocumentNames, stored?: unknown): CheckedDocument {
  const builtIn = selectBuiltIn(known);
  const checked = checkOver(builtIn, source, stored);
  const unreadable = 'faults' in checked ? [] : findUnreadable(checked.document, known);
  if (unreadable.length > 0) {
    return { faults: unreadable };
  }
  if (!('faults' in checked)) {
    return checked;
  }
  // An entry of a built-in model that waits is incomplete without it.
  const isNew = (id: string): boolean =>
    Object.hasOwn(BUILT_IN_DOCUMENT.models, id) && !Object.hasOwn(builtIn.models, id);
  const changed = checked.faults
    .map(({ path }) => path.split('.'))
    .filter(([section]) => section === 'models');
  const waiting = new Set(changed.flatMap(([, id]) => (id !== undefined && isNew(id) ? [id] : [])));
  return waiting.size === 0
    ? checked
    : {
        faults: [...waiting].map((id) => ({ path: `models.${id}`, message: 'a new built-in model' })),
      };
}

function checkOver(
  builtIn: Parameters<typeof mergeDocuments>[0],
  source: string,
  stored: unknown,
): CheckedDocument {
  const parsed = parseDocument(source);
  if ('faults' in parsed) {
    return parsed;
  }
  const shape = checkShape(parsed.value);
  const document = mergeDocuments(builtIn, shape.document);
  const { catalog, faults: found } = checkMeaning(document);
  const before = readStored(stored);
  const protocolFaults = findProtocolFaults(catalog, before.faults.length > 0 ? null : before.catalog);
  const meant = [...found, ...protocolFaults].filter((fault) => !isConsequence(fault, shape));
  const faults = [...shape.faults, ...meant];
  return faults.length > 0 ? { faults } : { document, catalog };
}

/** Returns the built-in catalog. */
export function readBuiltInCatalog(): Catalog {
  return checkMeaning(mergeDocuments(BUILT_IN_DOCUMENT, {})).catalog;
}

/**
 * Reads the document of a stored version; throws Error that names its faults. It was checked when it was stored: rules of
 * protocols that are newer leave it in force (`findKeptFaults`).
 */
export function readStoredDocument(stored: unknown): Catalog {
  const {
    catalog,
    faults: [first],
  } = readStored(stored);
  if (first) {
    throw new Error(formatFault(first));
  }
  return catalog;
}

function readStored(stored: unknown): ReturnType<typeof checkMeaning> {
  const { built_in_routes: builtIn = [], ...document } = (stored ?? {}) as Partial<MergedDocument>;
  const shape = checkShape(document);
  const isList = Array.isArray(builtIn) && builtIn.every((id) => typeof id === 'string');
  const { default_model = '', models = {}, providers = {} } = shape.document;
  const { catalog, faults } = checkMeaning({
    default_model,
    models,
    providers,
    built_in_routes: isList ? builtIn : [],
  });
  const ofList = isList ? [] : [{ path: 'built_in_routes', message: 'no list' }];
  return { catalog, faults: [...shape.faults, ...faults, ...ofList] };
}

function checkMeaning(document: MergedDocument): { catalog: Catalog; faults: readonly CatalogFault[] } {
  const catalog = readCatalog(document);
  return { catalog, faults: [...checkProviders(document.providers ?? {}), ...checkModels(catalog)] };
}

/** Returns true for a fault that only follows from a field that was left out as faulty. */
function isConsequence({ path }: CatalogFault, { faultyPaths }: CheckedShape): boolean {
  const [section, name] = path.split('.');
  return faultyPaths.some(
    (faulty) =>
      `${path}.`.startsWith(`${faulty}.`) ||
      faulty.startsWith(`${path}.`) ||
      (section === 'models' && faulty.startsWith(`models.${name}.routes`)),
  );
}
