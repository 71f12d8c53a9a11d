import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { type DocumentChange, describeChange, isSame, listValues } from './compare-documents.js';
import { findVersion } from './versions.js';

/** Changes by hand since the last document, and those of their values that another document would take back. */
export interface UndoneChanges {
  readonly newest: number;
  /** Versions that the page, `set-price`, `enable` or `disable` made. */
  readonly versions: readonly number[];
  /** `from` is the value that was set by hand, `to` that of the document. */
  readonly undone: readonly DocumentChange[];
}

interface Row {
  readonly id: number;
  readonly isEdit: boolean;
}

/** Versions since the last one that a whole document made: `apply`, CATALOG_FILE or a rollback. */
const LIST_SINCE_DOCUMENT: Statement = {
  name: 'list-versions-since-document',
  text: `
SELECT id, origin IN ('page', 'edit') AND rollback_of IS NULL AS "isEdit" FROM catalog_versions
 WHERE id >= COALESCE(
   (SELECT max(id) FROM catalog_versions WHERE origin IN ('cli', 'file') OR rollback_of IS NOT NULL),
   (SELECT min(id) FROM catalog_versions)) ORDER BY id`,
};

const MAX_NAMED = 5;

/** Finds the values set on the page or by single commands that a document would take back. */
export async function findUndone(db: Pick<Database, 'run'>, document: unknown): Promise<UndoneChanges> {
  const rows = await db.run<Row>(LIST_SINCE_DOCUMENT, []);
  const set = new Map<string, unknown>();
  const versions: number[] = [];
  const read = async ({ id }: Row) => listValues((await findVersion(db, id)).document);
  let before: Row | undefined;
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1];
    if (!row.isEdit) {
      before = row;
      continue;
    }
    versions.push(row.id);
    // Of neighbors only the first and the last state count.
    if (next?.isEdit !== true && before !== undefined) {
      addChanges(set, await read(before), await read(row));
    }
  }
  const values = set.size === 0 ? set : listValues(document);
  const undone = [...set].flatMap(([path, from]): DocumentChange[] => {
    const to = values.get(path);
    return isSame(from, to)
      ? []
      : [{ path, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }];
  });
  return { newest: rows.at(-1)?.id ?? 0, versions, undone };
}

/** Throws AppError `BAD_REQUEST` that names what a document would take back. */
export async function refuseUndoing(db: Pick<Database, 'run'>, document: unknown): Promise<void> {
  const found = await findUndone(db, document);
  if (found.undone.length > 0) {
    throw new AppError('BAD_REQUEST', { publicMessage: describeUndone(found) });
  }
}

/** Describes what a document would take back, and how it is applied all the same. */
export function describeUndone({ newest, versions, undone }: UndoneChanges): string {
  const named = undone.slice(0, MAX_NAMED).map((change) => `${change.path}: ${describeChange(change)}`);
  const more = undone.length > MAX_NAMED ? `; and ${undone.length - MAX_NAMED} more` : '';
  const which = versions.length === 1 ? `Version ${versions[0]} was` : `Versions ${versions.join(', ')} were`;
  return (
    `${which} changed by hand since the last document, and this one would take that back: ${named.join('; ')}${more}. ` +
    `Put these values into the document, or apply it with --base ${newest} (you have seen version ${newest}) or --replace.`
  );
}

function addChanges(
  set: Map<string, unknown>,
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): void {
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const to = after.get(path);
    if (!isSame(before.get(path), to)) {
      set.set(path, to);
    }
  }
}
