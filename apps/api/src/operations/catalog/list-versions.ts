import type { Database, Statement } from '@image-gateway/shared/db';

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
