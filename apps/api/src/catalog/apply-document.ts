import type { Catalog, CatalogFault } from '@image-gateway/shared/catalog/document';
import { type Database, loadActiveCatalog } from '@image-gateway/shared/db';
import type { DocumentChange } from './compare-documents.js';
import { refuseUndoing } from './find-undone.js';
import { insertVersion } from './insert-version.js';
import { type AgreedLeaps, refuseLeaps } from './judge-impact.js';
import { findVersion } from './versions.js';
import { readContent, refuseForPrevious } from './waiting/read-content.js';
import { keepWaitingCatalog } from './waiting/waiting-catalog.js';

/** Document to apply. */
export interface DocumentToApply {
  readonly source: string;
  readonly note: string | null;
  /** Version that the change was started from. By default the newest one, and changes by hand are not taken back. */
  readonly from?: number;
  /** Prices that may change by a factor of ten; none by default. */
  readonly agreed?: AgreedLeaps;
  /** True to take changes by hand back. */
  readonly replace?: boolean;
  readonly origin?: 'cli' | 'edit' | 'page';
  /** Author of the change, for the audit log. */
  readonly actor: string;
  /** True if no process of the former release runs, whatever the database says. */
  readonly upgraded?: boolean;
}

/** Result of applying a document: the new version, or every fault of the document. */
export type AppliedDocument =
  | {
      readonly version: number;
      readonly from: number;
      /** Catalog that was active. */
      readonly before: Catalog;
      readonly catalog: Catalog;
      readonly changes: readonly DocumentChange[];
    }
  | { readonly faults: readonly CatalogFault[] };

/**
 * Makes a document the newest version of the catalog. Throws VersionConflict when another one came in between. Throws AppError
 * `BAD_REQUEST` when it would take a change by hand back, or change a price by a factor of ten that is not agreed. So it does
 * while processes of the former release run that can't read it.
 */
export async function applyDocument(
  db: Pick<Database, 'run'>,
  {
    source,
    note,
    actor,
    from: startedFrom,
    agreed = [],
    replace = false,
    origin = 'cli',
    upgraded = false,
  }: DocumentToApply,
): Promise<AppliedDocument> {
  const content = await readContent(db, source, { upgraded });
  if ('faults' in content) {
    return content;
  }
  if ('former' in content) {
    throw refuseForPrevious(content.former);
  }
  const { catalog, document, isPartial } = content;
  const from = startedFrom ?? (await findVersion(db, null)).id;
  if (startedFrom === undefined && !replace) {
    await refuseUndoing(db, document);
  }
  const { catalog: before } = await loadActiveCatalog(db);
  refuseLeaps({ before, after: catalog }, agreed);
  if (isPartial) {
    await keepWaitingCatalog(db, { source: null, from });
  }
  const { version, changes } = await insertVersion(db, {
    from,
    source,
    document,
    note,
    actor,
    origin,
    action: 'catalog.apply',
  });
  return { version, from, before, catalog, changes };
}
