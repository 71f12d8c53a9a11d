import type { Catalog, CatalogFault } from '@image-gateway/shared/catalog/document';
import type { Database } from '@image-gateway/shared/db';
import { parseInThread } from './documents/parse-in-thread.js';
import { findVersion } from './find-version.js';
import { insertVersion } from './insert-version.js';

/** Document to apply. */
export interface DocumentToApply {
  readonly source: string;
  readonly note: string | null;
  /** Version that the change was started from; the newest one by default. */
  readonly from?: number;
  readonly origin?: 'cli' | 'page';
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Result of applying a document: the new version, or every fault of the document. */
export type AppliedDocument =
  | { readonly version: number; readonly from: number; readonly catalog: Catalog }
  | { readonly faults: readonly CatalogFault[] };

/** Makes a document the newest version of the catalog; throws VersionConflict when another one came in between. */
export async function applyDocument(
  db: Pick<Database, 'run'>,
  { source, note, actor, from: startedFrom, origin = 'cli' }: DocumentToApply,
): Promise<AppliedDocument> {
  const checked = await parseInThread('checkDocument', source);
  if ('faults' in checked) {
    return checked;
  }
  const { catalog, document } = checked;
  const from = startedFrom ?? (await findVersion(db, null)).id;
  const version = await insertVersion(db, {
    from,
    source,
    document,
    note,
    actor,
    origin,
    action: 'catalog.apply',
  });
  return { version, from, catalog };
}
