import type { Database } from '../create-database.js';
import type { CatalogVersion as CatalogVersionModel } from '../generated/client.js';
import type { Statement } from '../statement.js';

/** Version of the catalog as it is stored; its document is not checked. */
export type StoredVersion = Readonly<Pick<CatalogVersionModel, 'id' | 'createdAt'>> & {
  readonly document: unknown;
};

const FIND_CATALOG_VERSIONS: Statement = {
  name: 'find-catalog-versions',
  text: `
SELECT id, document, created_at AS "createdAt" FROM catalog_versions
 WHERE id > $1 AND id < $2 ORDER BY id DESC LIMIT $3::int`,
};

/** Returns stored versions between two ids, both exclusive, newest first. */
export function findCatalogVersions(
  db: Pick<Database, 'run'>,
  { after, before = 2 ** 31 - 1, limit }: { after: number; before?: number; limit: number },
): Promise<StoredVersion[]> {
  return db.run<StoredVersion>(FIND_CATALOG_VERSIONS, [after, before, limit]);
}
