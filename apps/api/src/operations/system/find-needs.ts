import { MAX_REFUSALS, type NeedsView } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import { loadActiveCatalog } from '../catalog/load-active-catalog.js';
import type { OfferSettings } from '../catalog/page/view-models.js';
import { listModeratedAccounts } from '../provider/moderated-accounts.js';
import { listProviderNeeds, presentNeed } from '../provider/provider-needs.js';

/** Returns what needs an operator now: providers, models, and accounts that moderation refused too often on this UTC day. */
export async function findNeeds(db: Pick<Database, 'run'>, settings: OfferSettings): Promise<NeedsView> {
  const today = new Date();
  today.setUTCHours(0, 0, 0, 0);
  const { catalog } = await loadActiveCatalog(db);
  const [providers, moderated] = await Promise.all([
    listProviderNeeds(db, { ...settings, catalog }),
    listModeratedAccounts(db, { since: today, over: MAX_REFUSALS }),
  ]);
  return { providers: providers.map(presentNeed), moderated };
}
