import {
  type Catalog,
  listEnabledModels,
  listEndings,
  type ProvidersInUse,
  type StatedEnd,
  selectRoutes,
  withStatedEnds,
} from '@image-gateway/shared/catalog/document';
import {
  type Database,
  listStatedEnds,
  type ProviderCall,
  type Statement,
  tellOperatorsOnce,
} from '@image-gateway/shared/db';
import type { ProviderNeedItem } from '@image-gateway/shared/provider/schema';
import { listWorkerProviders, mergeProviders } from './list-worker-providers.js';

/** Work that a provider or a model has for operators. */
export interface ProviderNeed {
  readonly kind: 'refused' | 'ending' | 'no-route';
  /** The same as long as the work is the same. */
  readonly cause: string;
  /** How often operators are told of it: on each UTC day, or once. */
  readonly told: 'daily' | 'once';
  readonly provider: string;
  readonly model: string | null;
  readonly observed: string;
  /** Instruction for the operator. */
  readonly remediation: string;
  readonly since: Date | null;
}

/** Models on offer, and the providers that can draw them. */
export interface OfferState {
  readonly catalog: Pick<Catalog, 'models' | 'instances'>;
  /** ENABLED_MODELS. */
  readonly enabledModels: readonly string[] | undefined;
  readonly providers: ProvidersInUse;
  /** Ends of models that the lists of providers state. */
  readonly stated: readonly StatedEnd[];
}

/** Classes of refusals that operators can end, with the words for them. Those of a model name it. */
const REFUSALS: Readonly<
  Record<string, (call: { readonly key: string; readonly model: string | null }) => [string, string]>
> = {
  auth: ({ key }) => [`the vendor refuses ${key}`, 'Set a valid key.'],
  billing: ({ key }) => [
    `the account behind ${key} has no money left, or is locked`,
    'Pay the vendor, or set another key.',
  ],
  quota: ({ key }) => [`the quota of ${key} is used up`, 'Raise it with the vendor, or add a key.'],
  'model-quota': ({ key, model }) => [
    `the quota of ${key} for ${model} is used up`,
    'Raise it with the vendor, or add a key.',
  ],
  'no-access': ({ key, model }) => [
    `${key} may not use ${model}`,
    'Request access to it, or remove its route with: catalog apply',
  ],
  'model-gone': ({ model }) => [
    `the vendor no longer has ${model}`,
    'Write a model that it has into the route, with: catalog apply',
  ],
  geo: () => ['the vendor does not serve this region', 'Call it from another region, or remove its routes.'],
};
const OF_A_MODEL = ['model-quota', 'no-access', 'model-gone'];
const list = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ');

interface RefusedRow extends Readonly<Pick<ProviderCall, 'provider' | 'keyFingerprint'>> {
  readonly model: string | null;
  readonly detail: string;
  readonly since: Date;
  readonly lastAt: Date;
}

// A later success of the same key ends the need, and so does an hour without a refusal. Where a model was refused, the success
// is one of that model.
const LIST_REFUSED_CALLS: Statement = {
  name: 'list-refused-calls',
  text: `
SELECT r.provider, r.model, r.detail, r.key_fingerprint AS "keyFingerprint", r.since, r.last_at AS "lastAt"
  FROM (SELECT provider, CASE WHEN detail IN (${list(OF_A_MODEL)}) THEN model END AS model, detail, key_fingerprint,
               min(created_at) AS since, max(created_at) AS last_at
          FROM provider_calls
         WHERE detail IN (${list(Object.keys(REFUSALS))}) AND created_at > now() - interval '1 hour'
         GROUP BY 1, 2, 3, 4) r
 WHERE NOT EXISTS (
   SELECT FROM provider_calls s
    WHERE s.created_at > r.last_at AND s.provider = r.provider AND s.key_fingerprint IS NOT DISTINCT FROM r.key_fingerprint
      AND s.model = COALESCE(r.model, s.model) AND s.state IN ('succeeded', 'short'))
 ORDER BY r.since, r.provider, r.detail`,
};

/** Lists what vendors refused in the last hour and what nothing has ended since: keys, money, quotas, models. */
export async function listRefusals(db: Pick<Database, 'run'>): Promise<ProviderNeed[]> {
  const rows = await db.run<RefusedRow>(LIST_REFUSED_CALLS, []);
  return rows.flatMap(({ provider, model, detail, keyFingerprint, since }) => {
    const key = keyFingerprint === null ? 'a call without a key' : `key ${keyFingerprint}`;
    const words = REFUSALS[detail]?.({ key, model });
    if (words === undefined) {
      return [];
    }
    const [observed, remediation] = words;
    const cause = [detail, provider, model ?? '', keyFingerprint ?? ''].join(' ');
    return [{ kind: 'refused', cause, told: 'daily', provider, model, observed, remediation, since }];
  });
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
  const [refusals, workers, stated] = await Promise.all([
    listRefusals(db),
    listWorkerProviders(db),
    listStatedEnds(db),
  ]);
  if (workers.length === 0) {
    return refusals;
  }
  const providers = mergeProviders(listProviders(catalog), workers);
  return [...refusals, ...listModelNeeds({ catalog, enabledModels, providers, stated })];
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
