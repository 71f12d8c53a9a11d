import type { MergedDocument } from '@image-gateway/shared/catalog/document';
import { type CatalogOrigin, type Database, insertCatalogVersion } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { compareDocuments, type DocumentChange, isOfProviders } from './compare-documents.js';
import { findVersion, VersionConflict } from './versions.js';

/** Content of a version to insert, and who inserts it. */
export interface NewVersion {
  /** Version that the change was started from. */
  readonly from: number;
  readonly source: string;
  readonly document: MergedDocument;
  readonly origin: CatalogOrigin;
  readonly note: string | null;
  readonly action: 'catalog.apply' | 'catalog.rollback';
  /** Version whose content a rollback repeats. */
  readonly restoredVersion?: number;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Version that was inserted. */
export interface InsertedVersion {
  readonly version: number;
  /** Differences from the version before. */
  readonly changes: readonly DocumentChange[];
}

/** Changes that an audit entry names; the versions themselves have all. */
const MAX_AUDITED = 50;

/** Inserts a version with its audit entry; throws VersionConflict when another one came in between. */
export async function insertVersion(
  db: Pick<Database, 'run'>,
  { from, source, document, origin, note, action, restoredVersion, actor }: NewVersion,
): Promise<InsertedVersion> {
  const before = await findVersion(db, from);
  const changes = compareDocuments(before.document, document);
  // Addresses of providers may hold secrets.
  const audited = changes
    .slice(0, MAX_AUDITED)
    .map((change) => (isOfProviders(change) ? { path: change.path } : change));
  const id = await insertCatalogVersion(db, {
    from,
    source,
    document,
    origin,
    note,
    createdBy: actor,
    restoredVersion,
    audit: {
      id: newId('aud'),
      action,
      detail: {
        actor,
        from,
        ...(restoredVersion !== undefined && { to: restoredVersion }),
        ...(note !== null && { note }),
        changes: audited,
      },
    },
  });
  if (id === null) {
    const newest = await findVersion(db, null);
    throw new VersionConflict(from, newest.id);
  }
  return { version: id, changes };
}
