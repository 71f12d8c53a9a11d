import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type CatalogFault, formatFault, type MergedDocument } from '@image-gateway/shared/catalog/document';
import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { parseInThread } from './documents/parse-in-thread.js';
import { findVersion, type StoredCatalog } from './find-version.js';
import { insertVersion } from './insert-version.js';

/** Document of CATALOG_FILE. */
export interface CatalogFile {
  readonly path: string;
  readonly source: string;
}

/** Result of bringing the catalog up to date at a start. */
export interface SyncedCatalog {
  /** Newest version afterwards. */
  readonly version: number;
  /** Origin of the version that was inserted; null for none. */
  readonly inserted: 'file' | 'built-in' | null;
  /** True if the newest version was changed by an operator after the file was applied, so that the file is not active. */
  readonly isFileReplaced: boolean;
  /** Faults of the newest document over the built-in content of this release; the newest version then stays active. */
  readonly faults: readonly CatalogFault[];
}

interface Origins {
  readonly fileId: number | null;
  readonly fileDigest: string | null;
  /** Newest version by the command line or the page, after that of the file. */
  readonly editId: number | null;
  readonly editOrigin: string | null;
}

const FIND_ORIGINS: Statement = {
  name: 'find-catalog-origins',
  text: `
SELECT file.id AS "fileId", file.digest AS "fileDigest", edit.id AS "editId", edit.origin AS "editOrigin"
  FROM (SELECT 1) AS one
  LEFT JOIN LATERAL (SELECT id, digest FROM catalog_versions WHERE origin = 'file' ORDER BY id DESC LIMIT 1) AS file ON true
  LEFT JOIN LATERAL (
    SELECT id, origin FROM catalog_versions
     WHERE origin IN ('cli', 'page') AND id > COALESCE(file.id, 0) ORDER BY id DESC LIMIT 1) AS edit ON true`,
};

/**
 * Applies the file if its content has changed. Lays the newest document over the built-in content of this release if that has
 * changed. Throws AppError `VALIDATION_ERROR` for a faulty file, and `BAD_REQUEST` when an operator's change followed its
 * last version. With `force` the file is applied all the same.
 */
export async function syncCatalog(
  db: Pick<Database, 'run'>,
  { file, force }: { readonly file: CatalogFile | null; readonly force: boolean },
): Promise<SyncedCatalog> {
  const [newest, [origins]] = await Promise.all([findVersion(db, null), db.run<Origins>(FIND_ORIGINS, [])]);
  const digest = file && createHash('sha256').update(file.source).digest('hex');
  const isActive = newest.digest === digest;
  if (file && origins && !isActive && (force || origins.fileDigest !== digest)) {
    const document = await checkFile(file);
    if (origins.editId !== null && !force) {
      throw refuse(file, { ...origins, editId: origins.editId });
    }
    const version = await insertVersion(db, {
      from: newest.id,
      source: file.source,
      document,
      origin: 'file',
      actor: 'file',
      note: null,
      action: 'catalog.apply',
    });
    return { version, inserted: 'file', isFileReplaced: false, faults: [] };
  }
  const refreshed = await refreshBuiltIn(db, newest);
  return { ...refreshed, isFileReplaced: file !== null && !isActive };
}

async function checkFile({ path, source }: CatalogFile): Promise<MergedDocument> {
  const checked = await parseInThread('checkDocument', source);
  if ('faults' in checked) {
    const faults = checked.faults.map((fault) => `\n  - ${formatFault(fault)}`).join('');
    throw new AppError('VALIDATION_ERROR', { publicMessage: `CATALOG_FILE ${path} has faults:${faults}` });
  }
  return checked.document;
}

function refuse({ path }: CatalogFile, { fileId, editId, editOrigin }: Origins & { editId: number }) {
  const last =
    fileId === null ? 'no version comes from the file yet' : `its last version is ${fileId} (origin file)`;
  return new AppError('BAD_REQUEST', {
    publicMessage:
      `CATALOG_FILE ${path} is not applied: ${last}, and version ${editId} (origin ${editOrigin}) followed it, ` +
      `which the file would undo. See what it changed with: catalog show --version ${editId}. ` +
      'Put that into the file, then apply the file with: catalog sync --force (or npm start -- --force).',
  });
}

async function refreshBuiltIn(
  db: Pick<Database, 'run'>,
  { id, source, document: stored }: StoredCatalog,
): Promise<Omit<SyncedCatalog, 'isFileReplaced'>> {
  const checked = await parseInThread('checkDocument', source);
  if ('faults' in checked) {
    return { version: id, inserted: null, faults: checked.faults };
  }
  const { document } = checked;
  // The database stores JSON, which has no undefined fields.
  if (isDeepStrictEqual(JSON.parse(JSON.stringify(document)), stored)) {
    return { version: id, inserted: null, faults: [] };
  }
  const version = await insertVersion(db, {
    from: id,
    source,
    document,
    origin: 'built-in',
    actor: 'release',
    note: 'built-in content of this release',
    action: 'catalog.apply',
  });
  return { version, inserted: 'built-in', faults: [] };
}
