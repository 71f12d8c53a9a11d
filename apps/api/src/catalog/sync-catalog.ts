import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type CatalogFault, formatFault } from '@image-gateway/shared/catalog/document';
import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { parseInThread } from './documents/parse-in-thread.js';
import { insertVersion } from './insert-version.js';
import { findVersion, type StoredCatalog } from './versions.js';
import {
  type Content,
  findPreviousReaders,
  type PreviousReaders,
  readContent,
} from './waiting/read-content.js';
import { findWaitingCatalog, forgetWaitingCatalog, keepWaitingCatalog } from './waiting/waiting-catalog.js';

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
  /** Content that waits for the end of processes of the former release; null for none. */
  readonly waiting: (PreviousReaders & { readonly content: 'file' | 'built-in' }) | null;
}

/** How the catalog is brought up to date. */
export interface SyncOptions {
  readonly file: CatalogFile | null;
  /** True to apply the file although an operator's change followed its last version. */
  readonly force: boolean;
  /** True if no process of the former release runs, whatever the database says. */
  readonly upgraded?: boolean;
}

interface Origins {
  readonly fileId: number | null;
  readonly fileDigest: string | null;
  /** Newest version by the command line (a document or an edit) or the page, after that of the file. */
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
     WHERE origin IN ('cli', 'edit', 'page') AND id > COALESCE(file.id, 0) ORDER BY id DESC LIMIT 1) AS edit ON true`,
};

/**
 * Applies the file if its content has changed. Lays the newest document over the built-in content of this release if that has
 * changed. Keeps for `applyWaiting` what running processes of the former release can't read. Throws AppError `VALIDATION_ERROR`
 * for a faulty file, and `BAD_REQUEST` when an operator's change followed its last version. With `force` the file is applied all
 * the same.
 */
export async function syncCatalog(
  db: Pick<Database, 'run'>,
  { file, force, upgraded = false }: SyncOptions,
): Promise<SyncedCatalog> {
  const [newest, [origins]] = await Promise.all([findVersion(db, null), db.run<Origins>(FIND_ORIGINS, [])]);
  const digest = file && createHash('sha256').update(file.source).digest('hex');
  const isActive = newest.digest === digest;
  if (file && origins && !isActive && (force || origins.fileDigest !== digest)) {
    const content = await readFileContent(db, { file, upgraded });
    if (origins.editId !== null && !force) {
      throw refuse(file, { ...origins, editId: origins.editId });
    }
    if ('former' in content) {
      await keepWaitingCatalog(db, { source: file.source, from: newest.id });
      const waiting = { ...content.former, content: 'file' } as const;
      return { version: newest.id, inserted: null, isFileReplaced: false, faults: [], waiting };
    }
    const version = await insertFile(db, { newest, source: file.source, content });
    return { version, inserted: 'file', isFileReplaced: false, faults: [], waiting: null };
  }
  const refreshed = await refreshBuiltIn(db, { newest, upgraded, keepsFile: file === null });
  if (file !== null && refreshed.waiting === null) {
    await forgetWaitingCatalog(db, null);
  }
  return { ...refreshed, isFileReplaced: file !== null && !isActive };
}

/** Result of a look at what waits. */
export type AppliedWaiting = Pick<SyncedCatalog, 'version' | 'inserted'> & {
  /** Newest change of an operator that the file would undo; it is not applied then. */
  readonly undone: number | null;
};

/** Makes what waits a version, if no process of the former release runs any more; null where nothing waits or it waits on. */
export async function applyWaiting(db: Pick<Database, 'run'>): Promise<AppliedWaiting | null> {
  const waiting = await findWaitingCatalog(db);
  if (waiting === null) {
    return null;
  }
  const [newest, [origins]] = await Promise.all([findVersion(db, null), db.run<Origins>(FIND_ORIGINS, [])]);
  const { source, from, createdAt } = waiting;
  const undone = source !== null && (origins?.editId ?? 0) > from ? (origins?.editId ?? null) : null;
  if (source !== null && undone === null && newest.source !== source) {
    const content = await readFileContent(db, { file: { path: '', source }, upgraded: false });
    if ('former' in content) {
      return null;
    }
    const version = await insertFile(db, { newest, source, content });
    await forgetWaitingCatalog(db, createdAt);
    return { version, inserted: 'file', undone };
  }
  const refreshed = await refreshBuiltIn(db, { newest, upgraded: false, keepsFile: true });
  if (refreshed.waiting !== null) {
    return null;
  }
  await forgetWaitingCatalog(db, createdAt);
  return { version: refreshed.version, inserted: refreshed.inserted, undone };
}

type GivenContent = Exclude<Content, { readonly faults: unknown }>;
type ReadyContent = Exclude<GivenContent, { readonly former: unknown }>;

async function readFileContent(
  db: Pick<Database, 'run'>,
  { file: { path, source }, upgraded }: { readonly file: CatalogFile; readonly upgraded: boolean },
): Promise<GivenContent> {
  const content = await readContent(db, source, { upgraded });
  if ('faults' in content) {
    const faults = content.faults.map((fault) => `\n  - ${formatFault(fault)}`).join('');
    throw new AppError('VALIDATION_ERROR', { publicMessage: `CATALOG_FILE ${path} has faults:${faults}` });
  }
  return content;
}

async function insertFile(
  db: Pick<Database, 'run'>,
  {
    newest,
    source,
    content,
  }: { readonly newest: StoredCatalog; readonly source: string; readonly content: ReadyContent },
): Promise<number> {
  if (content.isPartial) {
    await keepWaitingCatalog(db, { source: null, from: newest.id, replaced: true });
  }
  const { version } = await insertVersion(db, {
    from: newest.id,
    source,
    document: content.document,
    origin: 'file',
    actor: 'file',
    note: null,
    action: 'catalog.apply',
  });
  if (!content.isPartial) {
    await forgetWaitingCatalog(db, null);
  }
  return version;
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
  {
    newest: { id, source, document: stored },
    upgraded,
    keepsFile,
  }: { readonly newest: StoredCatalog; readonly upgraded: boolean; readonly keepsFile: boolean },
): Promise<Omit<SyncedCatalog, 'isFileReplaced'>> {
  const unchanged = { version: id, inserted: null, faults: [], waiting: null };
  const checked = await parseInThread('checkDocument', source, stored);
  if ('faults' in checked) {
    return { ...unchanged, faults: checked.faults };
  }
  const { document } = checked;
  // The database stores JSON, which has no undefined fields.
  if (isDeepStrictEqual(JSON.parse(JSON.stringify(document)), stored)) {
    return unchanged;
  }
  const former = upgraded ? null : await findPreviousReaders(db, document);
  if (former !== null) {
    await keepWaitingCatalog(db, { source: null, from: id, replaced: !keepsFile });
    return { ...unchanged, waiting: { ...former, content: 'built-in' } };
  }
  const { version } = await insertVersion(db, {
    from: id,
    source,
    document,
    origin: 'built-in',
    actor: 'release',
    note: 'built-in content of this release',
    action: 'catalog.apply',
  });
  return { ...unchanged, version, inserted: 'built-in' };
}
