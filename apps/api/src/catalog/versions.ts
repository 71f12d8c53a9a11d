import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError, notFound } from '@image-gateway/shared/errors';

/** Version of the catalog without its content. */
export interface VersionItem {
  readonly id: number;
  readonly digest: string;
  readonly origin: string;
  readonly note: string | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
}

const LIST_VERSIONS: Statement = {
  name: 'list-catalog-versions',
  text: `
SELECT id, digest, origin, note, created_by AS "createdBy", created_at AS "createdAt"
  FROM catalog_versions ORDER BY id DESC LIMIT $1`,
};

/** Lists the versions of the catalog, newest first: all of them, or the newest ones. */
export async function listVersions(
  db: Pick<Database, 'run'>,
  limit: number | null = null,
): Promise<readonly VersionItem[]> {
  return db.run<VersionItem>(LIST_VERSIONS, [limit]);
}

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

/** Presents a version of the catalog. */
export function presentVersion({ id, origin, note, createdBy, createdAt, digest }: VersionItem) {
  const created_at = createdAt.toISOString();
  return { version: id, origin, note, created_by: createdBy, created_at, digest };
}

/** Another version of the catalog came between the start of a change and the change. */
export class VersionConflict extends AppError {
  constructor(from: number, newest: number) {
    super('BAD_REQUEST', {
      publicMessage:
        `The change was started from catalog version ${from}, and version ${newest} came in between. Read it with: catalog show. ` +
        'Then repeat the change.',
    });
    this.name = 'VersionConflict';
  }
}
