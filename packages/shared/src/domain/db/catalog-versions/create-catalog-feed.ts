import { createFollower, type FollowerOptions } from '../../../runtime/concurrency/index.js';
import { type Catalog, readStoredDocument } from '../../catalog/document/index.js';
import { AppError } from '../../errors/index.js';
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
function findCatalogVersions(
  db: Pick<Database, 'run'>,
  { after, before = 2 ** 31 - 1, limit }: { after: number; before?: number; limit: number },
): Promise<StoredVersion[]> {
  return db.run<StoredVersion>(FIND_CATALOG_VERSIONS, [after, before, limit]);
}

/** Catalog that is active in this process. */
export interface ActiveCatalog {
  readonly version: number;
  readonly catalog: Catalog;
  /** Newest stored version; above `version` when it can't be read here. */
  readonly newestVersion: number;
}

/** Active catalog of a process, followed without Redis and without a restart. */
export interface CatalogFeed {
  /** Returns the active catalog; throws AppError `SERVICE_UNAVAILABLE` before the first one is read. */
  readonly getActive: () => ActiveCatalog;
  /**
   * Resolves with the active catalog, which may be a few seconds old. Rejects with AppError when none was read yet and the
   * database does not answer.
   */
  readonly load: () => Promise<ActiveCatalog>;
  /** Looks for a newer version at once; rejects with AppError when the database does not answer. */
  readonly refresh: () => Promise<ActiveCatalog>;
  /** Returns the newest catalog of a version below `before` that `accepts`; null for none. */
  readonly findEarlier: (
    before: number,
    accepts: (catalog: Catalog) => boolean,
  ) => Promise<ActiveCatalog | null>;
  readonly stop: () => void;
}

/** Dependencies of a catalog feed. */
export interface CatalogFeedDeps
  extends Pick<FollowerOptions, 'now'>,
    Partial<Pick<FollowerOptions, 'onStale'>> {
  readonly db: Pick<Database, 'run'>;
  /** Called after each change of the active or of the newest version. */
  readonly onChange: (active: ActiveCatalog) => void;
  /** Called with a version that can't be read here, once for each process. */
  readonly onUnreadable: (version: number, error: Error) => void;
  readonly pollMs?: number;
}

const POLL_MS = 1_000;
const PAGE = 20;

/** Creates a feed that polls for newer versions; a version that can't be read is passed over. */
export function createCatalogFeed({
  db,
  onChange,
  onUnreadable,
  pollMs = POLL_MS,
  onStale = () => undefined,
  ...clock
}: CatalogFeedDeps): CatalogFeed {
  let active: ActiveCatalog | null = null;
  let loading: Promise<ActiveCatalog> | null = null;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  const read = ({ id, document }: StoredVersion): Catalog | null => {
    try {
      return readStoredDocument(document);
    } catch (error) {
      onUnreadable(id, error instanceof Error ? error : new Error(String(error)));
      return null;
    }
  };

  /** Finds the newest readable version between two ids, page by page, and the newest of all. */
  const findReadable = async (
    range: { readonly after: number; readonly before?: number },
    accepts: (catalog: Catalog) => boolean = () => true,
  ) => {
    let newest: number | null = null;
    let { before } = range;
    for (;;) {
      const versions = await findCatalogVersions(db, {
        after: range.after,
        limit: PAGE,
        ...(before !== undefined && { before }),
      });
      newest ??= versions[0]?.id ?? null;
      for (const version of versions) {
        const catalog = read(version);
        if (catalog && accepts(catalog)) {
          return { newest, found: { version: version.id, catalog } };
        }
      }
      before = versions.at(-1)?.id;
      if (versions.length < PAGE) {
        return { newest, found: null };
      }
    }
  };

  const readNewer = async (): Promise<ActiveCatalog> => {
    const { newest, found } = await findReadable({ after: active?.newestVersion ?? 0 });
    const next = found ?? active;
    if (!next) {
      throw new AppError('SERVICE_UNAVAILABLE', { message: 'no catalog version can be read' });
    }
    // A read that began earlier may end later.
    if (active && (newest ?? 0) <= active.newestVersion) {
      return active;
    }
    active = { version: next.version, catalog: next.catalog, newestVersion: newest ?? next.version };
    onChange(active);
    return active;
  };
  const follower = createFollower({ read: readNewer, onStale, ...clock });
  const getActive = (): ActiveCatalog => {
    if (active) {
      return active;
    }
    throw new AppError('SERVICE_UNAVAILABLE', { message: 'the catalog is not read yet' });
  };
  const refresh = async (): Promise<ActiveCatalog> => {
    await follower.read();
    return getActive();
  };
  const load = async (): Promise<ActiveCatalog> => {
    if (active) {
      await follower.follow();
      return active;
    }
    loading ??= refresh().finally(() => {
      loading = null;
    });
    return loading;
  };
  const poll = async (): Promise<void> => {
    // An unreachable database is reported by those that need it; the next poll follows all the same.
    await (active ? refresh() : load()).catch(() => undefined);
    if (!isStopped) {
      timer = setTimeout(() => void poll(), pollMs).unref();
    }
  };
  void poll();

  return {
    load,
    refresh,
    getActive,
    findEarlier: async (before, accepts) => {
      const { found } = await findReadable({ after: 0, before }, accepts);
      return found && { ...found, newestVersion: found.version };
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
