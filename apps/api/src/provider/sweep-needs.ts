import { type CatalogFeed, type Database, listHeardEvents, takeSweepTurn } from '@image-gateway/shared/db';
import { repeat } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import { tellModeratedAccounts } from './moderated-accounts.js';
import { listProviderNeeds, type NeedSources, tellProviderNeeds } from './provider-needs.js';

/** Dependencies of the sweep. */
export interface NeedSweepDeps extends Omit<NeedSources, 'catalog'> {
  readonly db: Pick<Database, 'run'>;
  readonly feed: Pick<CatalogFeed, 'load'>;
  readonly logger: Logger;
  /** Time between two looks of all processes in milliseconds. */
  readonly everyMs?: number;
}

const EVERY_MS = 10_000;

/**
 * Looks again and again what needs an operator, and tells the endpoints that hear of it. One process does it for all. Returns the
 * function that ends it.
 */
export function sweepNeeds({
  db,
  feed,
  logger,
  everyMs = EVERY_MS,
  ...sources
}: NeedSweepDeps): () => Promise<void> {
  const ending = new AbortController();
  const look = async (): Promise<void> => {
    if (!(await takeSweepTurn(db, { name: 'tell-needs', everyMs }))) {
      return;
    }
    const heard = await listHeardEvents(db);
    if (heard.has('account.moderated')) {
      await tellModeratedAccounts(db);
    }
    if (heard.has('provider.needs_operator')) {
      const { catalog } = await feed.load();
      await tellProviderNeeds(db, await listProviderNeeds(db, { ...sources, catalog }));
    }
  };
  const onError = (error: unknown): void => {
    logger.warn('operators were not told what needs them', { error });
  };
  const ended = repeat(look, { everyMs, signal: ending.signal, onError });
  return () => {
    ending.abort();
    return ended;
  };
}
