import { createHash } from 'node:crypto';
import type { MergedDocument } from '../../catalog/document/index.js';
import type { Database } from '../create-database.js';
import { isUniqueViolation } from '../database-error.js';
import type { CatalogVersion as CatalogVersionModel } from '../generated/client.js';
import type { Statement } from '../statement.js';

/** Origin of a catalog version. */
export type CatalogOrigin = 'built-in' | 'file' | 'cli' | 'edit' | 'page';

/** Version to insert and the version that it was made from. */
export interface VersionToInsert
  extends Readonly<Pick<CatalogVersionModel, 'source' | 'note' | 'createdBy'>> {
  /** Newest version when the change was started. */
  readonly from: number;
  readonly document: MergedDocument;
  readonly origin: CatalogOrigin;
  /** Version whose content a rollback repeats; absent for any other change. */
  readonly restoredVersion?: number | undefined;
  readonly audit: { readonly id: string; readonly action: string; readonly detail: object };
}

// The id is the next one, so that of two changes of one version the second violates the primary key.
const INSERT_CATALOG_VERSION: Statement = {
  name: 'insert-catalog-version',
  text: `
WITH version AS (
  INSERT INTO catalog_versions (id, source, document, digest, origin, note, created_by, rollback_of)
  SELECT $1::int + 1, $2, $3::jsonb, $4, $5, $6, $7, $11::int
   WHERE $1::int = (SELECT max(id) FROM catalog_versions) RETURNING id, created_at)
INSERT INTO audit_entries (id, action, subject, detail)
SELECT $8, $9, 'catalog ' || id, $10::jsonb FROM version RETURNING $1::int + 1 AS id`,
};

/** Inserts a version with its audit entry; null when another version came in between. */
export async function insertCatalogVersion(
  db: Pick<Database, 'run'>,
  { from, source, document, origin, note, createdBy, restoredVersion, audit }: VersionToInsert,
): Promise<number | null> {
  const digest = createHash('sha256').update(source).digest('hex');
  try {
    const [row] = await db.run<{ readonly id: number }>(INSERT_CATALOG_VERSION, [
      from,
      source,
      JSON.stringify(document),
      digest,
      origin,
      note,
      createdBy,
      audit.id,
      audit.action,
      JSON.stringify(audit.detail),
      restoredVersion ?? null,
    ]);
    return row?.id ?? null;
  } catch (error) {
    if (isUniqueViolation(error, 'catalog_versions_pkey')) {
      return null;
    }
    throw error;
  }
}
