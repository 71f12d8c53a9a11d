import {
  type Catalog,
  type CatalogModel,
  findCheapestCost,
  getPriceMicros,
  listEnabledModels,
  listOffers,
  type ProvidersInUse,
} from '@image-gateway/shared/catalog/document';
import type { ModelImpact } from '@image-gateway/shared/catalog/schema';
import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars, parseDollars } from '@image-gateway/shared/money';
import type { DocumentChange } from './compare-documents.js';

/** Price of an image that a change of the catalog makes another one; null where it is not sold. Money in micro-dollars. */
interface PriceStep {
  readonly offer: ReturnType<typeof listOffers>[number];
  readonly fromMicros: bigint | null;
  readonly toMicros: bigint | null;
}

/** Change of prices by a factor that is more often a slip than meant. */
interface PriceLeap {
  readonly model: string;
  readonly offer: string;
  readonly from: string;
  readonly to: string;
}

/** Amounts that were typed once more, or `all` for an author who means them all. */
export type AgreedLeaps = 'all' | readonly string[];

const LEAP = 10n;
const MAX_NAMED = 5;

/** Catalogs before and after a change. */
interface CatalogChange {
  readonly before: Catalog;
  readonly after: Catalog;
}

// The deadline's index leads to open tasks, whatever the number of others.
const COUNT_USERS: Statement = {
  name: 'count-users-of-models',
  text: `
WITH keys AS (
  SELECT m.id, count(*)::int AS keys FROM api_keys k JOIN unnest($1::text[]) AS m(id) ON m.id = ANY (k.models)
   WHERE k.revoked_at IS NULL AND COALESCE(k.expires_at > now(), true) GROUP BY m.id),
used AS (
  SELECT model AS id, count(DISTINCT account_id)::int AS accounts FROM usage_daily
   WHERE day > (now() AT TIME ZONE 'UTC')::date - 30 AND model = ANY ($1::text[]) GROUP BY model),
open AS (
  SELECT model AS id, count(*)::int AS tasks
    FROM (SELECT t.model FROM tasks t WHERE t.status = 'pending' AND t.tries >= 0 ORDER BY t.deadline_at LIMIT 100000) t
   WHERE model = ANY ($1::text[]) GROUP BY model)
SELECT m.id AS model, COALESCE(keys.keys, 0) AS keys, COALESCE(used.accounts, 0) AS accounts, COALESCE(open.tasks, 0) AS open_tasks
  FROM unnest($1::text[]) AS m(id) LEFT JOIN keys USING (id) LEFT JOIN used USING (id) LEFT JOIN open USING (id)`,
};

type Users = Pick<ModelImpact, 'model' | 'keys' | 'accounts' | 'open_tasks'>;

/** Finds what a change of the catalog means for customers: prices, offers, routes and aliases of each model, and who uses it. */
export async function judgeImpact(
  db: Pick<Database, 'run'>,
  {
    before,
    after,
    changes,
    enabledModels,
    providers,
  }: CatalogChange & {
    /** Differences of the documents. */
    readonly changes: readonly Pick<DocumentChange, 'path'>[];
    /** ENABLED_MODELS. */
    readonly enabledModels: readonly string[] | undefined;
    readonly providers: ProvidersInUse;
  },
): Promise<readonly ModelImpact[]> {
  const [sold, sells] = [before, after].map(
    (catalog) => new Set(listEnabledModels(catalog, enabledModels).map(({ id }) => id)),
  );
  const found = [...new Set([...before.models.keys(), ...after.models.keys()])].flatMap((id) => {
    const [old, next] = [before.models.get(id), after.models.get(id)];
    const kind = nameChange({ old, next, wasSold: sold?.has(id) === true, isSold: sells?.has(id) === true });
    const isFresh = kind === 'on' || kind === 'new';
    const steps = compareOffers(isFresh ? undefined : old, kind === 'off' ? old : next);
    const prices = [...steps, ...(kind === null ? findNewLosses(id, { before, after, providers }) : [])].map(
      (step) => presentStep(step, findLoss(next, step.offer, { catalog: after, providers })),
    );
    const aliases = findLostAliases(id, { before, after });
    const isRerouted =
      kind !== 'gone' && kind !== 'new' && changes.some(({ path }) => path.startsWith(`models.${id}.routes`));
    return kind === null && !isRerouted && prices.length === 0 && aliases.length === 0
      ? []
      : [{ model: id, kind, is_rerouted: isRerouted, prices, aliases }];
  });
  const users = found.length === 0 ? [] : await db.run<Users>(COUNT_USERS, [found.map(({ model }) => model)]);
  return found.map((one) => ({
    ...one,
    ...(users.find(({ model }) => model === one.model) ?? { keys: 0, accounts: 0, open_tasks: 0 }),
  }));
}

function nameChange({
  old,
  next,
  wasSold,
  isSold,
}: {
  readonly old: CatalogModel | undefined;
  readonly next: CatalogModel | undefined;
  readonly wasSold: boolean;
  readonly isSold: boolean;
}): ModelImpact['kind'] {
  if (next === undefined) {
    return 'gone';
  }
  if (old === undefined) {
    return 'new';
  }
  return wasSold === isSold ? null : isSold ? 'on' : 'off';
}

function compareOffers(old: CatalogModel | undefined, next: CatalogModel | undefined): PriceStep[] {
  const writeName = ({ resolution, quality }: PriceStep['offer']): string => `${resolution} ${quality}`;
  const all = [...(old ? listOffers(old) : []), ...(next ? listOffers(next) : [])];
  return [...new Map(all.map((offer) => [writeName(offer), offer])).values()].flatMap((offer) => {
    const [fromMicros = null, toMicros = null] = [old, next].map((model) =>
      model && listOffers(model).some((one) => writeName(one) === writeName(offer))
        ? getPriceMicros(model, offer.resolution, offer.quality)
        : undefined,
    );
    return fromMicros === toMicros ? [] : [{ offer, fromMicros, toMicros }];
  });
}

const isLeap = ({ fromMicros: from, toMicros: to }: PriceStep): boolean =>
  from !== null && to !== null && (to >= from * LEAP || to * LEAP <= from);
const nameOffer = ({ resolution, quality }: PriceStep['offer']): string =>
  quality === null ? resolution : `${resolution} ${quality}`;

function presentStep(step: PriceStep, cost: bigint | null): ModelImpact['prices'][number] {
  const { offer, fromMicros, toMicros } = step;
  return {
    offer: nameOffer(offer),
    from: fromMicros === null ? null : formatDollars(fromMicros),
    to: toMicros === null ? null : formatDollars(toMicros),
    cost: cost === null || toMicros === null ? null : formatDollars(cost),
    is_leap: isLeap(step),
  };
}

/** Lists the prices that stay and are below cost from now on, because of other routes. */
function findNewLosses(
  id: string,
  { before, after, providers }: CatalogChange & { readonly providers: ProvidersInUse },
): PriceStep[] {
  const [old, next] = [before.models.get(id), after.models.get(id)];
  return (next ? listOffers(next) : []).flatMap((offer) => {
    const [from, to] = [old, next].map(
      (model) => model && getPriceMicros(model, offer.resolution, offer.quality),
    );
    const isNew =
      findLoss(old, offer, { catalog: before, providers }) === null &&
      findLoss(next, offer, { catalog: after, providers }) !== null;
    return to !== undefined && from === to && isNew ? [{ offer, fromMicros: to, toMicros: to }] : [];
  });
}

/** Returns the cheapest cost of an offer that is sold below it; null for another one, and for what is not sold. */
function findLoss(
  model: CatalogModel | undefined,
  offer: PriceStep['offer'],
  { catalog, providers }: { readonly catalog: Catalog; readonly providers: ProvidersInUse },
): bigint | null {
  const price = model && getPriceMicros(model, offer.resolution, offer.quality);
  const cheapest =
    model && findCheapestCost(catalog, { model, ...offer }, (name) => providers.names.includes(name));
  return price !== undefined && cheapest && price < cheapest.cost ? cheapest.cost : null;
}

/** Lists the aliases that a model loses, and what they name afterwards. */
function findLostAliases(id: string, { before, after }: CatalogChange): ModelImpact['aliases'] {
  const kept = after.models.get(id)?.aliases ?? [];
  return (before.models.get(id)?.aliases ?? [])
    .filter((alias) => !kept.includes(alias))
    .map((alias) => ({
      alias,
      to:
        [...after.models.values()].find((model) => model.id === alias || model.aliases.includes(alias))?.id ??
        null,
    }));
}

/** Lists the prices that a change of the catalog makes ten times higher or lower, or more. */
export function findLeaps({ before, after }: CatalogChange): PriceLeap[] {
  return [...after.models.values()].flatMap((model) =>
    compareOffers(before.models.get(model.id), model)
      .filter(isLeap)
      .map(({ offer, fromMicros, toMicros }) => ({
        model: model.id,
        offer: nameOffer(offer),
        from: formatDollars(fromMicros ?? 0n),
        to: formatDollars(toMicros ?? 0n),
      })),
  );
}

/** Throws AppError `BAD_REQUEST` for a price that is ten times another one, unless its author means it. */
export function refuseLeaps(change: CatalogChange, agreed: AgreedLeaps): void {
  const isAgreed = ({ to }: PriceLeap): boolean =>
    agreed === 'all' || agreed.some((amount) => readTyped(amount) === to);
  const leaps = findLeaps(change).filter((leap) => !isAgreed(leap));
  if (leaps.length > 0) {
    throw new AppError('BAD_REQUEST', { publicMessage: describeLeaps(leaps) });
  }
}

/** Describes prices that change too much to be applied at once, and how they are applied all the same. */
export function describeLeaps(leaps: readonly PriceLeap[]): string {
  const named = leaps
    .slice(0, MAX_NAMED)
    .map(({ model, offer, from, to }) => `${model} ${offer}: ${from} → ${to}`);
  const more = leaps.length > MAX_NAMED ? `; and ${leaps.length - MAX_NAMED} more` : '';
  return (
    `A price changes by a factor of ten or more: ${named.join('; ')}${more}. ` +
    'If that is meant, type the amount again on the page, or say --yes on the command line.'
  );
}

function readTyped(amount: string): string | null {
  try {
    return formatDollars(parseDollars(amount.trim().replace('$', '')));
  } catch {
    // A text that is no amount agrees to nothing.
    return null;
  }
}
