import type { CatalogFault, MergedDocument, ModelEdit } from '@image-gateway/shared/catalog/document';
import type { Database } from '@image-gateway/shared/db';
import { type AppliedDocument, applyDocument, type DocumentToApply } from './apply-document.js';
import { parseInThread } from './documents/parse-in-thread.js';
import type { StoredCatalog } from './versions.js';

/** Models of the document as they stand. */
export type DocumentModels = MergedDocument['models'];

type Faults = { readonly faults: readonly CatalogFault[] };

/** Edits of models, with a note for the history where they have one, or why they can't be made. */
export type EditModels = (
  models: DocumentModels,
) => { readonly edits: readonly ModelEdit[]; readonly note?: string } | Faults;

/** Writes switches, prices and routes of models into the text of a version, without applying it. Everything else there stays. */
export async function editSource(
  { source, document }: Pick<StoredCatalog, 'source' | 'document'>,
  edit: EditModels,
): Promise<{ readonly source: string; readonly note: string | null } | Faults> {
  const checked = await parseInThread('checkDocument', source, document);
  if ('faults' in checked) {
    return checked;
  }
  const edited = edit(checked.document.models);
  if ('faults' in edited) {
    return edited;
  }
  const text = await parseInThread('editModels', source, edited.edits);
  return typeof text === 'string' ? { source: text, note: edited.note ?? null } : text;
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
  const edited = await editSource(active, edit);
  return 'faults' in edited ? edited : applyDocument(db, { ...change, ...edited, from: active.id });
}
