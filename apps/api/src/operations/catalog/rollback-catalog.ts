import {
  type Catalog,
  type MergedDocument,
  readStoredDocument,
} from '@image-gateway/shared/catalog/document';
import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { findVersion, type StoredCatalog } from './find-version.js';
import { insertVersion } from './insert-version.js';

/**
 * Inserts a new version with the content of an earlier one. Throws AppError `NOT_FOUND`, and `BAD_REQUEST` when this release
 * cannot read that content or another version came in between.
 */
export async function rollbackCatalog(
  db: Pick<Database, 'run'>,
  { to, actor }: { readonly to: number; readonly actor: string },
): Promise<{ readonly version: number; readonly from: number; readonly catalog: Catalog }> {
  const { id: from } = await findVersion(db, null);
  const old = await findVersion(db, to);
  const catalog = read(old);
  const version = await insertVersion(db, {
    ...{ from, source: old.source, document: old.document as MergedDocument, actor },
    origin: 'cli',
    ...{ note: `rollback to version ${to}`, action: 'catalog.rollback', detail: { to } },
  });
  return { version, from, catalog };
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
