import { checkDocument } from '@image-gateway/shared/catalog/document';
import { insertCatalogVersion } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import type { TestDatabase } from '../create-test-database.js';

/** Makes a document the newest catalog version and returns its id; throws for a faulty document. */
export async function applyCatalog({ db, pool }: TestDatabase, source: string): Promise<number> {
  const checked = checkDocument(source);
  if ('faults' in checked) {
    throw new Error(JSON.stringify(checked.faults));
  }
  const { rows } = await pool.query<{ max: number }>('SELECT max(id) FROM catalog_versions');
  const version = await insertCatalogVersion(db, {
    from: rows[0]?.max ?? 0,
    source,
    document: checked.document,
    origin: 'cli',
    note: null,
    createdBy: null,
    audit: { id: newId('aud'), action: 'catalog apply', detail: {} },
  });
  if (version === null) {
    throw new Error('another version came in between');
  }
  return version;
}
