import {
  type Catalog,
  type MergedDocument,
  readStoredDocument,
} from '@image-gateway/shared/catalog/document';
import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { type InsertedVersion, insertVersion } from './insert-version.js';
import { findVersion, type StoredCatalog } from './versions.js';
import { findPreviousReaders, refuseForPrevious } from './waiting/read-content.js';

/** Version to return to. */
export interface RollbackRequest {
  readonly to: number;
  /** Author of the change, for the audit log. */
  readonly actor: string;
  /** Version that the change was started from; the newest one by default. */
  readonly from?: number;
  readonly origin?: 'cli' | 'page';
}

/**
 * Inserts a new version with the content of an earlier one. Throws AppError `NOT_FOUND`, and `BAD_REQUEST` when this release
 * cannot read that content, running processes of the former release can't, or another version came in between.
 */
export async function rollbackCatalog(
  db: Pick<Database, 'run'>,
  { to, actor, from: startedFrom, origin = 'cli' }: RollbackRequest,
): Promise<InsertedVersion & { readonly from: number; readonly catalog: Catalog }> {
  const from = startedFrom ?? (await findVersion(db, null)).id;
  const old = await findVersion(db, to);
  const catalog = read(old);
  const former = await findPreviousReaders(db, old.document as MergedDocument);
  if (former !== null) {
    throw refuseForPrevious(former);
  }
  const inserted = await insertVersion(db, {
    from,
    source: old.source,
    document: old.document as MergedDocument,
    actor,
    origin,
    note: `rollback to version ${to}`,
    action: 'catalog.rollback',
    restoredVersion: to,
  });
  return { ...inserted, from, catalog };
}

function read({ id, document }: StoredCatalog): Catalog {
  try {
    return readStoredDocument(document);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('BAD_REQUEST', {
      publicMessage: `This release cannot read catalog version ${id}: ${reason}`,
    });
  }
}
