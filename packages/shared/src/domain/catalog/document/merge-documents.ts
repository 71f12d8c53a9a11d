import type { CatalogDocument, ModelEntry } from './catalog-document.js';

/** Document that is complete: the operator's over the built-in one. */
export interface MergedDocument extends CatalogDocument {
  readonly default_model: string;
  readonly models: Readonly<Record<string, ModelEntry>>;
  /** Models whose routes are the built-in ones, which follow the order of PROVIDERS. */
  readonly built_in_routes: readonly string[];
}

/** Lays a document over the built-in one. Models of a built-in name are merged field by field, other models are added. */
export function mergeDocuments(
  builtIn: CatalogDocument & Pick<MergedDocument, 'default_model' | 'models'>,
  document: CatalogDocument,
): MergedDocument {
  const added = document.models ?? {};
  const models: Record<string, ModelEntry> = {};
  for (const id of new Set([...Object.keys(builtIn.models), ...Object.keys(added)])) {
    models[id] = { ...own(builtIn.models, id), ...own(added, id) };
  }
  return {
    default_model: document.default_model ?? builtIn.default_model,
    providers: { ...builtIn.providers, ...document.providers },
    models,
    built_in_routes: Object.keys(builtIn.models).filter((id) => own(added, id)?.routes === undefined),
  };
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
