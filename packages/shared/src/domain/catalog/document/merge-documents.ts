import { SPECIFIED_MODELS } from './built-in-document.js';
import type { CatalogDocument, ModelEntry } from './document-schema.js';

/** Document that is complete: the operator's over the built-in one. */
export interface MergedDocument extends CatalogDocument {
  readonly default_model: string;
  readonly models: Readonly<Record<string, ModelEntry>>;
  /** Models whose routes are the built-in ones, which follow the order of PROVIDERS. */
  readonly built_in_routes: readonly string[];
}

/**
 * Lays a document over the built-in one. Models of a built-in name are merged field by field, other models are added. Names of the
 * document win over built-in aliases. A complete entry stands alone where the specification does not fix the model: an operator may
 * have had that name before it was built in.
 */
export function mergeDocuments(
  builtIn: CatalogDocument & Pick<MergedDocument, 'default_model' | 'models'>,
  document: CatalogDocument,
): MergedDocument {
  const added = document.models ?? {};
  const models: Record<string, ModelEntry> = {};
  const given = new Set([
    ...Object.keys(added),
    ...Object.values(added).flatMap(({ aliases = [] }) => aliases),
  ]);
  for (const id of new Set([...Object.keys(builtIn.models), ...Object.keys(added)])) {
    const entry = own(added, id) ?? {};
    models[id] = isComplete(id, entry) ? entry : { ...keepAliases(own(builtIn.models, id), given), ...entry };
  }
  return {
    default_model: document.default_model ?? builtIn.default_model,
    providers: { ...builtIn.providers, ...document.providers },
    models,
    built_in_routes: Object.keys(builtIn.models).filter((id) => own(added, id)?.routes === undefined),
  };
}

function isComplete(id: string, { price, routes }: ModelEntry): boolean {
  return !SPECIFIED_MODELS.includes(id) && price !== undefined && routes !== undefined;
}

/** Leaves out the aliases that the document gives to its own models. */
function keepAliases(entry: ModelEntry = {}, given: ReadonlySet<string>): ModelEntry {
  const { aliases } = entry;
  return aliases ? { ...entry, aliases: aliases.filter((alias) => !given.has(alias)) } : entry;
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
