import { isDeepStrictEqual } from 'node:util';
import {
  type CatalogFault,
  formatFault,
  type MergedDocument,
  type ModelEdit,
} from '@image-gateway/shared/catalog/document';
import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { applyDocument } from '../apply-document.js';
import { parseInThread } from '../documents/parse-in-thread.js';
import { type EditModels, editCatalog } from '../edit-catalog.js';
import { rollbackCatalog } from '../rollback-catalog.js';
import { findVersion, type StoredCatalog, VersionConflict } from '../versions.js';

/** Change that an operator started from a version on the page. */
export interface PageChange {
  readonly from: number;
  /** Author of the change, for the audit log. */
  readonly actor: string;
  /** Amounts of prices that change by a factor of ten, typed once more. */
  readonly retyped?: readonly string[] | undefined;
}

type Db = Pick<Database, 'run'>;

/**
 * Applies a text without providers; those of the active version stay. Throws VersionConflict, and AppError `VALIDATION_ERROR`
 * with all faults.
 */
export async function applyModels(
  db: Db,
  { source, note, ...change }: PageChange & { readonly source: string; readonly note: string | null },
): Promise<number> {
  const active = await findActive(db, change);
  const kept = await parseInThread('keepProviders', source, active.source);
  return 'faults' in kept ? refuse(kept.faults) : apply(db, { ...change, note, source: kept.source });
}

/** Writes prices and switches into the active document. Throws as `applyModels` does. */
export async function setPrices(
  db: Db,
  { models, ...change }: PageChange & { readonly models: readonly ModelEdit[] },
): Promise<number> {
  const active = await findActive(db, change);
  const edited = await editCatalog(db, {
    active,
    actor: change.actor,
    agreed: change.retyped ?? [],
    origin: 'page',
    edit: editOnPage(models),
  });
  return 'faults' in edited ? refuse(edited.faults) : edited.version;
}

/** Returns edits of models of a document; its faults name those that it does not have. */
export const editOnPage =
  (models: readonly ModelEdit[]): EditModels =>
  (known) => {
    const unknown = models.filter(({ id }) => !Object.hasOwn(known, id));
    const faults = unknown.map(({ id }) => ({ path: `models.${id}`, message: 'is no model of the catalog' }));
    return faults.length > 0 ? { faults } : { edits: models };
  };

/** Returns to the content of an earlier version with the same providers. Throws VersionConflict and AppError. */
export async function rollbackModels(
  db: Db,
  { to, retyped = [], ...change }: PageChange & { readonly to: number },
): Promise<number> {
  const [active, old] = await Promise.all([findActive(db, change), findVersion(db, to)]);
  if (!isDeepStrictEqual(getProviders(active), getProviders(old))) {
    throw new AppError('FORBIDDEN', {
      publicMessage: `Version ${to} has other providers, which this page cannot change. Use: catalog rollback ${to}`,
    });
  }
  const { version } = await rollbackCatalog(db, { ...change, to, agreed: retyped, origin: 'page' });
  return version;
}

/** Returns the newest version, which a change must have been started from; throws VersionConflict otherwise. */
export async function findActive(db: Db, { from }: Pick<PageChange, 'from'>): Promise<StoredCatalog> {
  const active = await findVersion(db, null);
  if (active.id !== from) {
    throw new VersionConflict(from, active.id);
  }
  return active;
}

async function apply(
  db: Db,
  { retyped = [], ...change }: PageChange & { readonly source: string; readonly note: string | null },
): Promise<number> {
  const applied = await applyDocument(db, { ...change, agreed: retyped, origin: 'page' });
  return 'faults' in applied ? refuse(applied.faults) : applied.version;
}

/** Throws AppError `VALIDATION_ERROR` with the first fault and the number of the others. */
export function refuse(faults: readonly CatalogFault[]): never {
  const [first, ...rest] = faults.map(formatFault);
  const more = rest.length === 0 ? '' : ` (and ${rest.length} more; use Check)`;
  throw new AppError('VALIDATION_ERROR', { publicMessage: `${first}${more}` });
}

function getProviders({ document }: StoredCatalog): unknown {
  return (document as Partial<MergedDocument> | null)?.providers ?? {};
}
