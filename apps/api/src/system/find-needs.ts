import { MAX_REFUSALS } from '@image-gateway/shared/contract';
import {
  type Database,
  listBrokenInvariants,
  loadActiveCatalog,
  type Statement,
} from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { NeedsView } from '@image-gateway/shared/provider/schema';
import type { OfferSettings } from '../catalog/page/view-models.js';
import { listModeratedAccounts } from '../provider/moderated-accounts.js';
import { listCeilingNeeds } from '../provider/provider-limits.js';
import { listProviderNeeds, presentNeed } from '../provider/provider-needs.js';

const FIND_ENDPOINT_NEEDS: Statement = {
  name: 'find-endpoint-needs',
  text: `
SELECT o.failing, o.threshold AS "thresholdMicros",
       (SELECT count(*)::int FROM accounts a WHERE a.status = 'active' AND a.balance_micros < o.threshold) AS accounts
  FROM (SELECT count(*) FILTER (WHERE failures >= 2 OR disabled_at IS NOT NULL)::int AS failing,
               max(threshold_micros) FILTER (WHERE disabled_at IS NULL) AS threshold
          FROM endpoints WHERE account_id IS NULL) o`,
};

interface EndpointNeeds {
  readonly failing: number;
  readonly thresholdMicros: bigint | null;
  readonly accounts: number;
}

/** Returns what needs an operator now: all that operators' endpoints hear of, whether or not there are any. */
export async function findNeeds(db: Pick<Database, 'run'>, settings: OfferSettings): Promise<NeedsView> {
  const today = new Date();
  today.setUTCHours(0, 0, 0, 0);
  const { catalog } = await loadActiveCatalog(db);
  const [needs, ceilings, moderated, brokenInvariants, [endpoints]] = await Promise.all([
    listProviderNeeds(db, { ...settings, catalog }),
    listCeilingNeeds(db),
    listModeratedAccounts(db, { since: today, over: MAX_REFUSALS }),
    listBrokenInvariants(db),
    db.run<EndpointNeeds>(FIND_ENDPOINT_NEEDS, []),
  ]);
  const threshold = endpoints?.thresholdMicros ?? null;
  return {
    providers: [...needs.map(presentNeed), ...ceilings],
    moderated,
    broken_invariants: brokenInvariants,
    failing_endpoints: endpoints?.failing ?? 0,
    low_balances:
      threshold === null || !endpoints?.accounts
        ? null
        : { accounts: endpoints.accounts, threshold: formatDollars(threshold) },
  };
}
