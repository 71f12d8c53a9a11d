import type { Database } from '../create-database.js';
import { type ActiveCatalog, createCatalogFeed } from './create-catalog-feed.js';

/** Catalog that a process of this release uses, and the reason why it can't read the newest version; null when it can. */
export interface LoadedCatalog extends ActiveCatalog {
  readonly unreadable: string | null;
}

/** Loads the active catalog once; throws AppError `SERVICE_UNAVAILABLE` when no version can be read. */
export async function loadActiveCatalog(db: Pick<Database, 'run'>): Promise<LoadedCatalog> {
  let unreadable: string | null = null;
  const feed = createCatalogFeed({
    db,
    onChange: () => undefined,
    onUnreadable: (_version, { message }) => {
      unreadable ??= message;
    },
  });
  try {
    return { ...(await feed.load()), unreadable };
  } finally {
    feed.stop();
  }
}
