import {
  type Catalog,
  listEnabledModels,
  listEndings,
  type ProvidersInUse,
  type StatedEnd,
  selectRoutes,
  withStatedEnds,
} from '@image-gateway/shared/catalog/document';
import { type Database, listStatedEnds, type Statement, tellOperatorsOnce } from '@image-gateway/shared/db';
import type { ProviderNeedItem } from '@image-gateway/shared/provider/schema';
import { listWorkerProviders, mergeProviders } from './list-worker-providers.js';
import { findRefusals, type ProviderNeed, type Refusals } from './refusals.js';

/** Models on offer, and the providers that can draw them. */
export interface OfferState {
  readonly catalog: Pick<Catalog, 'models' | 'instances'>;
  /** ENABLED_MODELS. */
  readonly enabledModels: readonly string[] | undefined;
  readonly providers: ProvidersInUse;
  /** Ends of models that the lists of providers state. */
  readonly stated: readonly StatedEnd[];
}

/** Lists the models on sale that lose their last route within 30 days, and those that nobody can draw. */
export function listModelNeeds(
  { catalog, enabledModels, providers, stated }: OfferState,
  nowMs = Date.now(),
): ProviderNeed[] {
  const enabled = listEnabledModels(catalog, enabledModels);
  const models = withStatedEnds(new Map(enabled.map((model) => [model.id, model])), stated);
  const endings = listEndings({ models }, (provider) => providers.names.includes(provider), nowMs);
  const undrawn = enabled.filter((model) => selectRoutes(model, providers).length === 0);
  return [
    ...endings.map(
      ({ id, provider, on, stage, message }): ProviderNeed => ({
        kind: 'ending',
        cause: `${stage} ${id} ${on}`,
        told: 'once',
        provider,
        model: id,
        observed: `models.${id}.routes: ${message}`,
        remediation: 'Add a route of a model that stays, with: catalog apply',
        since: null,
      }),
    ),
    ...undrawn.map(
      ({ id, routes }): ProviderNeed => ({
        kind: 'no-route',
        cause: `no-route ${id}`,
        told: 'daily',
        provider: routes[0]?.provider ?? '*',
        model: id,
        observed: `${id} is enabled and not on offer: no provider in use can draw it`,
        remediation:
          'Give the generation workers a key of one of its providers or name it in PROVIDERS, or disable the model.',
        since: null,
      }),
    ),
  ];
}

/** Lists the models on sale whose providers in use all refuse their calls, those with the same reasons together. */
export function listRefusedModels(
  { catalog, enabledModels, providers }: Omit<OfferState, 'stated'>,
  explainRoute: Refusals['explainRoute'],
): ProviderNeed[] {
  const refused = listEnabledModels(catalog, enabledModels).flatMap((model) => {
    const routes = selectRoutes(model, providers);
    const reasons = routes.map((route) => explainRoute(route));
    const why = routes.map(({ provider }, index) => `${provider}: ${reasons[index]}`);
    return routes.length === 0 || reasons.includes(null)
      ? []
      : [{ id: model.id, provider: routes[0]?.provider ?? '*', why: [...new Set(why)].join('; ') }];
  });
  return [...Map.groupBy(refused, ({ why }) => why)].map(([why, models]): ProviderNeed => {
    const names = models.map(({ id }) => id).join(', ');
    return {
      kind: 'no-route',
      cause: `refused-models ${names}`,
      told: 'daily',
      provider: models[0]?.provider ?? '*',
      model: models.length === 1 ? (models[0]?.id ?? null) : null,
      observed: `no provider draws ${names}: ${why}`,
      remediation:
        'Pay the vendor or set another key (gateway provider key set NAME), or add a route of another provider with: catalog apply',
      since: null,
    };
  });
}

/** Source of what is on offer. */
export interface NeedSources extends Omit<OfferState, 'providers' | 'stated'> {
  readonly listProviders: (catalog: Pick<Catalog, 'instances'>) => ProvidersInUse;
}

/**
 * Lists all work that providers and models have for operators. Before a worker has reported, nothing is said of models: it may
 * have the keys.
 */
export async function listProviderNeeds(
  db: Pick<Database, 'run'>,
  { catalog, enabledModels, listProviders }: NeedSources,
): Promise<ProviderNeed[]> {
  const [workers, stated] = await Promise.all([listWorkerProviders(db), listStatedEnds(db)]);
  const { refusals, explainRoute } = await findRefusals(db, { catalog, enabledModels, workers });
  if (workers.length === 0) {
    return [...refusals];
  }
  const providers = mergeProviders(listProviders(catalog), workers);
  const offer = { catalog, enabledModels, providers, stated };
  return [...refusals, ...listRefusedModels(offer, explainRoute), ...listModelNeeds(offer)];
}

/** Presents a need to an operator. */
export function presentNeed({
  provider,
  model,
  observed,
  remediation,
  since,
}: ProviderNeed): ProviderNeedItem {
  return { provider, model, reason: `${observed}. ${remediation}`, since: since?.toISOString() ?? null };
}

const TELL_PROVIDER_NEEDS: Statement = {
  name: 'tell-provider-needs',
  text: tellOperatorsOnce('provider.needs_operator', {
    cause: 'n.cause',
    startsOn: "CASE WHEN n.daily THEN (now() AT TIME ZONE 'UTC')::date ELSE '-infinity'::date END",
    data: { provider: 'n.provider', model: 'n.model', reason: 'n.reason', since: 'COALESCE(n.since, now())' },
    from: 'json_to_recordset($1::json) AS n(cause text, daily boolean, provider text, model text, reason text, since timestamptz)',
  }),
};

/** Tells operators of each need, once in its window. */
export async function tellProviderNeeds(
  db: Pick<Database, 'run'>,
  needs: readonly ProviderNeed[],
): Promise<void> {
  const found = needs.map((need) => ({
    ...presentNeed(need),
    cause: need.cause,
    daily: need.told === 'daily',
  }));
  await db.run(TELL_PROVIDER_NEEDS, [JSON.stringify(found)]);
}
