import {
  type Catalog,
  type MergedDocument,
  readStoredDocument,
} from '@image-gateway/shared/catalog/document';
import { type Database, loadActiveCatalog } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { type InsertedVersion, insertVersion } from './insert-version.js';
import { type AgreedLeaps, refuseLeaps } from './judge-impact.js';
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
  /** Prices that may change by a factor of ten; none by default. */
  readonly agreed?: AgreedLeaps;
}

/**
 * Inserts a new version with the content of an earlier one. Throws AppError `NOT_FOUND`, and `BAD_REQUEST` when this release or a
 * running process of the former one can't read it. So it does when a price changes by a factor of ten, or another version came in
 * between.
 */
export async function rollbackCatalog(
  db: Pick<Database, 'run'>,
  { to, actor, from: startedFrom, origin = 'cli', agreed = [] }: RollbackRequest,
): Promise<InsertedVersion & { readonly from: number; readonly before: Catalog; readonly catalog: Catalog }> {
  const from = startedFrom ?? (await findVersion(db, null)).id;
  const old = await findVersion(db, to);
  const catalog = readVersion(old);
  const former = await findPreviousReaders(db, old.document as MergedDocument);
  if (former !== null) {
    throw refuseForPrevious(former);
  }
  const { catalog: before } = await loadActiveCatalog(db);
  refuseLeaps({ before, after: catalog }, agreed);
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
  return { ...inserted, from, before, catalog };
}

/** Reads the content of a version; throws AppError `BAD_REQUEST` where this release can't. */
export function readVersion({ id, document }: Pick<StoredCatalog, 'id' | 'document'>): Catalog {
  try {
    return readStoredDocument(document);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('BAD_REQUEST', {
      publicMessage: `This release cannot read catalog version ${id}: ${reason}`,
    });
  }
}
