import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

/** File of `/v1/files`: an upload that any number of requests may name. */
export interface StoredFile {
  /** Id of its upload. */
  readonly id: string;
  /** Key that uploaded it. */
  readonly apiKeyId: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Pixels as they are stored. */
  readonly width: number;
  readonly height: number;
  /** True for an image that is shown on its side; null where its head does not tell. */
  readonly isTurned: boolean | null;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly expiresAt: Date;
}

/** Files by their ids, and the account that they must belong to. */
export interface FileOwner {
  readonly accountId: string;
  readonly ids: readonly string[];
}

const COLUMNS = `id, api_key_id AS "apiKeyId", content_type AS "contentType", bytes, width, height, is_turned AS "isTurned", sha256,
       expires_at AS "expiresAt"`;
/** Files are kept for that time from their last use. */
const KEPT = "now() + interval '24 hours'";

const PUBLISH_FILE: Statement = {
  name: 'publish-file',
  text: `
UPDATE task_inputs SET api_key_id = $2, content_type = $3, bytes = $4, width = $5, height = $6, is_turned = $7, sha256 = $8,
       expires_at = ${KEPT}, remove_at = ${KEPT}
 WHERE id = $1
RETURNING ${COLUMNS}`,
};

const SUM_FILES: Statement = {
  name: 'sum-files',
  text: `
SELECT count(*)::int AS files, COALESCE(sum(bytes), 0)::float8 AS bytes
  FROM task_inputs WHERE account_id = $1 AND expires_at > now()`,
};

// An account has few files, so they are counted and ordered as they are read.
const LIST_FILES: Statement = {
  name: 'list-files',
  text: `
WITH files AS MATERIALIZED (SELECT ${COLUMNS}, created_at FROM task_inputs WHERE account_id = $1 AND expires_at > now())
SELECT s.total, s."allBytes", NOT is_paid($1) AS "isUnpaid", page.*
  FROM (SELECT count(*)::int AS total, COALESCE(sum(bytes), 0)::float8 AS "allBytes" FROM files) s
  LEFT JOIN (SELECT * FROM files ORDER BY created_at DESC, id DESC LIMIT $2::int8 OFFSET $3::int8) page ON true
 ORDER BY page.created_at DESC, page.id DESC`,
};

const FIND_FILES: Statement = {
  name: 'find-files',
  text: `SELECT ${COLUMNS} FROM task_inputs WHERE id = ANY($2::text[]) AND account_id = $1 AND expires_at > now()`,
};

const USE_FILES: Statement = {
  name: 'use-files',
  text: `
UPDATE task_inputs SET expires_at = ${KEPT}, remove_at = ${KEPT}
 WHERE id = ANY($2::text[]) AND account_id = $1 AND expires_at > now()
RETURNING ${COLUMNS}`,
};

// The last task that used a file erases it with its own texts.
const LINK_FILES: Statement = {
  name: 'link-files',
  text: `
UPDATE task_inputs SET task_id = $3
 WHERE id = ANY($2::text[]) AND account_id = $1 AND expires_at IS NOT NULL`,
};

const DELETE_FILES: Statement = {
  name: 'delete-files',
  text: `
UPDATE task_inputs SET expires_at = '-infinity', remove_at = now()
 WHERE id = ANY($2::text[]) AND account_id = $1 AND expires_at > now()
RETURNING id`,
};

/** Makes a stored upload a file. Null when the sweep has removed the upload meanwhile. */
export async function publishFile(
  db: Pick<Database, 'run'>,
  file: Omit<StoredFile, 'expiresAt'>,
): Promise<StoredFile | null> {
  const { id, apiKeyId, contentType, bytes, width, height, isTurned, sha256 } = file;
  const values = [id, apiKeyId, contentType, bytes, width, height, isTurned, sha256];
  const [published] = await db.run<StoredFile>(PUBLISH_FILE, values);
  return published ?? null;
}

/** Returns how many files an account has, and how many bytes these have. */
export async function sumFiles(
  db: Pick<Database, 'run'>,
  accountId: string,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const [sum] = await db.run<{ readonly files: number; readonly bytes: number }>(SUM_FILES, [accountId]);
  return sum ?? { files: 0, bytes: 0 };
}

/** Page of the files of an account, newest first, and what all of them take. */
export interface FilePage {
  readonly files: readonly StoredFile[];
  readonly total: number;
  readonly bytes: number;
  /** True for an account that never had a payment: it may store less. */
  readonly isUnpaid: boolean;
}

/** Lists the files of an account. */
export async function listFiles(
  db: Pick<Database, 'run'>,
  accountId: string,
  { limit, offset }: { readonly limit: number; readonly offset: bigint },
): Promise<FilePage> {
  type Sums = Pick<FilePage, 'total' | 'isUnpaid'> & { readonly allBytes: number };
  type Row = Sums & (StoredFile | { readonly id: null });
  const rows = await db.run<Row>(LIST_FILES, [accountId, limit, offset]);
  const { total = 0, allBytes = 0, isUnpaid = false } = rows[0] ?? {};
  const isFile = (row: Row): row is Sums & StoredFile => row.id !== null;
  return { files: rows.filter(isFile), total, bytes: allBytes, isUnpaid };
}

/** Finds the files of an account among these ids; those that are unknown, expired or another account's are left out. */
export function findFiles(db: Pick<Database, 'run'>, { accountId, ids }: FileOwner): Promise<StoredFile[]> {
  return db.run<StoredFile>(FIND_FILES, [accountId, ids]);
}

/** Finds files as `findFiles` does, for a task: they are kept for another day. */
export function useFiles(db: Pick<Database, 'run'>, { accountId, ids }: FileOwner): Promise<StoredFile[]> {
  return db.run<StoredFile>(USE_FILES, [accountId, ids]);
}

/** Names the task that used files last. */
export async function linkFiles(
  db: Pick<Database, 'run'>,
  { accountId, ids, taskId }: FileOwner & { readonly taskId: string },
): Promise<void> {
  await db.run(LINK_FILES, [accountId, ids, taskId]);
}

/**
 * Lets nothing name files of an account any more, and returns how many there were. Their objects are removed once no pending task
 * needs them.
 */
export async function deleteFiles(db: Pick<Database, 'run'>, { accountId, ids }: FileOwner): Promise<number> {
  return (await db.run(DELETE_FILES, [accountId, ids])).length;
}
