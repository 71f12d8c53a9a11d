import type { Database, Statement } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import type { VersionItem } from './list-versions.js';

/** Version of the catalog with its content; the stored document is not checked. */
export interface StoredCatalog extends VersionItem {
  /** Text of the operator's document. */
  readonly source: string;
  readonly document: unknown;
}

const FIND_VERSION: Statement = {
  name: 'find-catalog-version',
  text: `
SELECT id, source, document, digest, origin, note, created_by AS "createdBy", created_at AS "createdAt"
  FROM catalog_versions WHERE id = COALESCE($1::int, (SELECT max(id) FROM catalog_versions))`,
};

/** Returns a version of the catalog, the newest one for null; throws AppError `NOT_FOUND`. */
export async function findVersion(db: Pick<Database, 'run'>, id: number | null): Promise<StoredCatalog> {
  const [version] = await db.run<StoredCatalog>(FIND_VERSION, [id]);
  if (!version) {
    throw notFound('catalog version', String(id ?? 'any'));
  }
  return version;
}
