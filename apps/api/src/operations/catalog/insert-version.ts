import type { MergedDocument } from '@image-gateway/shared/catalog/document';
import { type CatalogOrigin, type Database, insertCatalogVersion } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { findVersion } from './find-version.js';
import { VersionConflict } from './version-conflict.js';

/** Content of a version to insert, and who inserts it. */
export interface NewVersion {
  /** Version that the change was started from. */
  readonly from: number;
  readonly source: string;
  readonly document: MergedDocument;
  readonly origin: CatalogOrigin;
  readonly note: string | null;
  readonly action: 'catalog.apply' | 'catalog.rollback';
  /** Further details for the audit log. */
  readonly detail?: object;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Inserts a version with its audit entry and returns its id; throws VersionConflict when another one came in between. */
export async function insertVersion(
  db: Pick<Database, 'run'>,
  { from, source, document, origin, note, action, detail, actor }: NewVersion,
): Promise<number> {
  const id = await insertCatalogVersion(db, {
    from,
    source,
    document,
    origin,
    note,
    createdBy: actor,
    audit: {
      id: newId('aud'),
      action,
      detail: { actor, from, ...detail, ...(note !== null && { note }) },
    },
  });
  if (id === null) {
    const newest = await findVersion(db, null);
    throw new VersionConflict(from, newest.id);
  }
  return id;
}
