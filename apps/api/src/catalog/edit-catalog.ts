import type { CatalogFault, MergedDocument, ModelEdit } from '@image-gateway/shared/catalog/document';
import type { Database } from '@image-gateway/shared/db';
import { type AppliedDocument, applyDocument, type DocumentToApply } from './apply-document.js';
import { parseInThread } from './documents/parse-in-thread.js';
import type { StoredCatalog } from './versions.js';

/** Models of the document as they stand. */
export type DocumentModels = MergedDocument['models'];

type Faults = { readonly faults: readonly CatalogFault[] };

/** Edits of models, or why they can't be made. */
export type EditModels = (models: DocumentModels) => readonly ModelEdit[] | Faults;

/** Writes switches and prices of models into the text of a version, without applying it. Everything else there stays. */
export async function editSource(
  { source, document }: Pick<StoredCatalog, 'source' | 'document'>,
  edit: EditModels,
): Promise<string | Faults> {
  const checked = await parseInThread('checkDocument', source, document);
  if ('faults' in checked) {
    return checked;
  }
  const edits = edit(checked.document.models);
  return 'faults' in edits ? edits : parseInThread('editModels', source, edits);
}

/** Edits models in the operator's document of a version, and applies it. Throws as `applyDocument` does. */
export async function editCatalog(
  db: Pick<Database, 'run'>,
  {
    active,
    edit,
    ...change
  }: Pick<DocumentToApply, 'actor' | 'agreed'> & {
    readonly active: StoredCatalog;
    readonly origin: 'edit' | 'page';
    readonly edit: EditModels;
  },
): Promise<AppliedDocument> {
  const source = await editSource(active, edit);
  return typeof source === 'string'
    ? applyDocument(db, { ...change, source, from: active.id, note: null })
    : source;
}
