import { type Catalog, listEnabledModels } from '@image-gateway/shared/catalog/document';
import type { Database, ProviderCall, Statement } from '@image-gateway/shared/db';
import { describeKey } from '@image-gateway/shared/upstreams';
import { listKeysInUse, listWorkerProviders, type WorkerProviders } from './list-worker-providers.js';

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
const OF_ALL_KEYS = ['model-gone', 'geo'];
const list = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ');

interface RefusedRow extends Readonly<Pick<ProviderCall, 'provider' | 'keyFingerprint'>> {
  readonly model: string | null;
  readonly detail: string;
  readonly since: Date;
}

// A refusal ends with a later success of the same key and model, or an hour without another one. So it does when an operator
// resumes the provider; that of a key also with a trial that accepts it.
const LIST_REFUSED_CALLS: Statement = {
  name: 'list-refused-calls',
  text: `
SELECT r.provider, r.model, r.detail, r.key_fingerprint AS "keyFingerprint", r.since
  FROM (SELECT provider, CASE WHEN detail IN (${list(OF_A_MODEL)}) THEN model END AS model, detail, key_fingerprint,
               min(created_at) AS since, max(created_at) AS last_at
          FROM provider_calls
         WHERE detail IN (${list(Object.keys(REFUSALS))}) AND created_at > now() - interval '1 hour'
         GROUP BY 1, 2, 3, 4) r
 WHERE NOT EXISTS (
   SELECT FROM provider_calls s
    WHERE s.created_at > r.last_at AND s.provider = r.provider AND s.key_fingerprint IS NOT DISTINCT FROM r.key_fingerprint
      AND s.model = COALESCE(r.model, s.model) AND s.state IN ('succeeded', 'short'))
   AND NOT EXISTS (SELECT FROM provider_limits l WHERE l.name = r.provider AND l.resumed_at > r.last_at)
   AND NOT EXISTS (
   SELECT FROM provider_checks c
    WHERE r.detail = 'auth' AND c.provider = r.provider AND c.created_at > r.last_at AND c.state = 'done'
      AND c.result->'keys' @> jsonb_build_array(jsonb_build_object('fingerprint', r.key_fingerprint, 'result', 'accepted')))
 ORDER BY r.since, r.provider, r.detail`,
};

/** Refusal of a vendor that lasts. */
export interface Refusal extends ProviderNeed {
  readonly detail: string;
  readonly keyFingerprint: string | null;
  readonly since: Date;
}

/** Catalog and workers: they decide whether a refusal still concerns anybody. */
export interface RefusalScope {
  readonly catalog: Pick<Catalog, 'models'>;
  /** ENABLED_MODELS. */
  readonly enabledModels: readonly string[] | undefined;
  readonly workers: readonly WorkerProviders[];
}

/** Refusals that last, and what they mean for a route. */
export interface Refusals {
  readonly refusals: readonly Refusal[];
  /** Returns why no call of a route can succeed; null where one can, or nobody knows. */
  readonly explainRoute: (route: Route) => string | null;
}

type Route = Readonly<Pick<ProviderCall, 'provider' | 'model'>>;

/**
 * Finds what vendors refused in the last hour and what nothing has ended since: keys, money, quotas, models. A refusal also ends
 * when its key or provider is no longer in use, or no model on offer has its route.
 */
export async function findRefusals(db: Pick<Database, 'run'>, scope: RefusalScope): Promise<Refusals> {
  const rows = await db.run<RefusedRow>(LIST_REFUSED_CALLS, []);
  const refusals = rows.filter((row) => isOfUse(row, scope)).flatMap((row) => present(row, scope.workers));
  return {
    refusals,
    explainRoute: (route) => explainRoute(route, refusals, listKeysInUse(scope.workers, route.provider)),
  };
}

/** Finds the refusals by the reports of the workers. */
export async function loadRefusals(
  db: Pick<Database, 'run'>,
  scope: Omit<RefusalScope, 'workers'>,
): Promise<Refusals> {
  return findRefusals(db, { ...scope, workers: await listWorkerProviders(db) });
}

function isOfUse(
  { provider, model, keyFingerprint }: RefusedRow,
  { catalog, enabledModels, workers }: RefusalScope,
): boolean {
  const isRouted = listEnabledModels(catalog, enabledModels).some(({ routes }) =>
    routes.some((route) => route.provider === provider && route.model === (model ?? route.model)),
  );
  if (workers.length === 0 || !isRouted) {
    return isRouted;
  }
  const keys = listKeysInUse(workers, provider);
  const hasKey = keys === null || (keyFingerprint === null ? keys.length === 0 : isIn(keys, keyFingerprint));
  return hasKey && workers.some(({ providers }) => providers.includes(provider));
}

const isIn = (keys: readonly { readonly fingerprint: string }[], wanted: string): boolean =>
  keys.some(({ fingerprint }) => fingerprint === wanted);

function present(
  { provider, model, detail, keyFingerprint, since }: RefusedRow,
  workers: readonly WorkerProviders[],
): Refusal[] {
  const words = REFUSALS[detail]?.({ key: describeCallKey(keyFingerprint, { provider, workers }), model });
  if (words === undefined) {
    return [];
  }
  const [observed, remediation] = words;
  const cause = [detail, provider, model ?? '', keyFingerprint ?? ''].join(' ');
  return [
    {
      kind: 'refused',
      cause,
      told: 'daily',
      provider,
      model,
      observed,
      remediation,
      since,
      detail,
      keyFingerprint,
    },
  ];
}

function describeCallKey(
  fingerprint: string | null,
  { provider, workers }: { readonly provider: string; readonly workers: readonly WorkerProviders[] },
): string {
  if (fingerprint === null) {
    return 'a call without a key';
  }
  const keys = workers.flatMap((worker) => worker.keys?.[provider] ?? []);
  return describeKey(keys.find((key) => key.fingerprint === fingerprint) ?? { fingerprint, lastFour: '' });
}

function explainRoute(
  { provider, model }: Route,
  refusals: readonly Refusal[],
  keys: ReturnType<typeof listKeysInUse>,
): string | null {
  const own = refusals.filter((one) => one.provider === provider && (one.model ?? model) === model);
  const whole = own.find(({ detail }) => OF_ALL_KEYS.includes(detail));
  if (whole) {
    return whole.observed;
  }
  const wanted = keys?.length === 0 ? [null] : (keys?.map(({ fingerprint }) => fingerprint) ?? []);
  const found = wanted.map((key) => own.find(({ keyFingerprint }) => keyFingerprint === key)?.observed);
  const why = [...new Set(found.filter((observed) => observed !== undefined))];
  return found.length > 0 && !found.includes(undefined) ? why.join('; ') : null;
}
