import type { Database, Statement } from '@image-gateway/shared/db';

type Db = Pick<Database, 'run'>;

/** Content that waits until no process of the former release runs. */
export interface WaitingCatalog {
  /** Document of CATALOG_FILE; null: the built-in content of this release alone. */
  readonly source: string | null;
  /** Newest version when it was kept. */
  readonly from: number;
  readonly createdAt: Date;
}

const FIND_WAITING_CATALOG: Statement = {
  name: 'find-waiting-catalog',
  text: 'SELECT source, from_version AS "from", created_at AS "createdAt" FROM waiting_catalogs',
};

// Built-in content that waits too is no reason to forget a file.
const KEEP_WAITING_CATALOG: Statement = {
  name: 'keep-waiting-catalog',
  text: `
INSERT INTO waiting_catalogs AS w (source, from_version) VALUES ($1, $2::int)
ON CONFLICT (id) DO UPDATE SET source = EXCLUDED.source, from_version = EXCLUDED.from_version, created_at = now()
 WHERE EXCLUDED.source IS NOT NULL OR $3::bool`,
};

const FORGET_WAITING_CATALOG: Statement = {
  name: 'forget-waiting-catalog',
  text: 'DELETE FROM waiting_catalogs WHERE $1::timestamptz IS NULL OR created_at <= $1',
};

/** Returns what waits; null for nothing. */
export async function findWaitingCatalog(db: Db): Promise<WaitingCatalog | null> {
  const [row] = await db.run<WaitingCatalog>(FIND_WAITING_CATALOG, []);
  return row ?? null;
}

/** Keeps a file, or with null the built-in content alone; a file that waits stays then unless it is `replaced`. */
export async function keepWaitingCatalog(
  db: Db,
  {
    source,
    from,
    replaced = false,
  }: Pick<WaitingCatalog, 'source' | 'from'> & { readonly replaced?: boolean },
): Promise<void> {
  await db.run(KEEP_WAITING_CATALOG, [source, from, replaced]);
}

/** Forgets what waits; with a time, unless it was kept after it. */
export async function forgetWaitingCatalog(db: Db, keptAt: Date | null): Promise<void> {
  await db.run(FORGET_WAITING_CATALOG, [keptAt]);
}
