import type { CatalogFault, MergedDocument, ModelEdit } from '@image-gateway/shared/catalog/document';
import type { Database } from '@image-gateway/shared/db';
import { type AppliedDocument, applyDocument } from './apply-document.js';
import { parseInThread } from './documents/parse-in-thread.js';
import type { StoredCatalog } from './versions.js';

/** Models of the document as they stand. */
export type DocumentModels = MergedDocument['models'];

/**
 * Writes switches and prices of models into the operator's document of a version. Everything else there stays. Throws as
 * `applyDocument` does.
 */
export async function editCatalog(
  db: Pick<Database, 'run'>,
  {
    active,
    edit,
    ...change
  }: {
    readonly active: StoredCatalog;
    readonly origin: 'edit' | 'page';
    /** Author of the change, for the audit log. */
    readonly actor: string;
    readonly edit: (
      models: DocumentModels,
    ) => readonly ModelEdit[] | { readonly faults: readonly CatalogFault[] };
  },
): Promise<AppliedDocument> {
  const checked = await parseInThread('checkDocument', active.source, active.document);
  if ('faults' in checked) {
    return checked;
  }
  const edits = edit(checked.document.models);
  if ('faults' in edits) {
    return edits;
  }
  const source = await parseInThread('editModels', active.source, edits);
  return typeof source === 'string'
    ? applyDocument(db, { ...change, source, from: active.id, note: null })
    : source;
}
