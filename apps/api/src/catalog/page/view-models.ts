import {
  type Catalog,
  type CatalogModel,
  type CatalogRoute,
  findKeptFaults,
  findLosses,
  findRetirements,
  formatFault,
  getCostMicros,
  getKeyVariable,
  getPriceMicros,
  isSandbox,
  listEnabledModels,
  listOffers,
  type ProvidersInUse,
  selectRoutes,
  withStatedEnds,
} from '@image-gateway/shared/catalog/document';
import type { ModelItem, ModelsView } from '@image-gateway/shared/catalog/schema';
import { type Database, listStatedEnds, loadActiveCatalog, type Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';
import { presentAmounts } from '@image-gateway/shared/presenters';
import {
  type CandidateState,
  type ExplainRoute,
  findWorstCircuit,
  listCandidateStates,
} from '../../provider/candidates.js';
import { listWorkerProviders, mergeProviders } from '../../provider/list-worker-providers.js';
import { findRefusals } from '../../provider/refusals.js';
import { parseInThread } from '../documents/parse-in-thread.js';
import { judgeOffer } from '../judge-offer.js';
import { findVersion, listVersions, presentVersion } from '../versions.js';
import type { ListProviders } from './list-providers.js';

/** Settings that decide what is on offer. */
export interface OfferSettings {
  /** ENABLED_MODELS. */
  readonly enabledModels: readonly string[] | undefined;
  readonly listProviders: ListProviders;
}

const SHOWN_VERSIONS = 50;

interface TaskCount {
  readonly model: string;
  readonly tasks: number;
}

const COUNT_TODAY: Statement = {
  name: 'count-tasks-of-models-today',
  text: `
SELECT model, sum(completed + failed)::float8 AS tasks FROM task_hours
 WHERE hour >= date_trunc('day', now(), 'UTC') GROUP BY model`,
};

/** Returns the catalog as operators see it: models with prices, costs and the health of their routes, document and versions. */
export async function viewModels(
  db: Pick<Database, 'run'>,
  { enabledModels = [], listProviders }: OfferSettings,
): Promise<ModelsView> {
  const [{ catalog, unreadable }, versions, workers, stated] = await Promise.all([
    loadActiveCatalog(db),
    listVersions(db, SHOWN_VERSIONS),
    listWorkerProviders(db),
    listStatedEnds(db),
  ]);
  const { explainRoute } = await findRefusals(db, { catalog, enabledModels, workers });
  const states = await listCandidateStates(db, explainRoute);
  const [{ source, id: newest }, tasks] = await Promise.all([
    findVersion(db, null),
    db.run<TaskCount>(COUNT_TODAY, []),
  ]);
  const providers = mergeProviders(listProviders(catalog), workers);
  const offered = new Set(listEnabledModels(catalog, enabledModels));
  const judged = judgeOffer(catalog, { enabledModels, providers });
  const shown = withStatedEnds(new Map([...offered].map((model) => [model.id, model])), stated);
  return {
    version: newest,
    unreadable,
    enabled_models: enabledModels.length > 0 ? enabledModels : null,
    providers_in_use: providers.names,
    models: [...catalog.models.values()].map((model) => ({
      ...presentModel(model, { catalog, providers, states, explain: explainRoute }),
      is_offered: offered.has(model) && !judged.waiting.includes(model.id),
      waits_for_key: judged.waiting.includes(model.id),
      is_sandbox: judged.sandbox.includes(model.id),
      tasks_today: tasks.find((one) => one.model === model.id)?.tasks ?? 0,
    })),
    warnings: [findKeptFaults, findLosses, findRetirements].flatMap((find) =>
      find({ ...catalog, models: shown }, (provider) => providers.names.includes(provider)),
    ),
    source: await hideProviders(source),
    versions: versions.map((one) => {
      const { digest: _digest, ...item } = presentVersion(one);
      return item;
    }),
  };
}

/** Returns the text of the document without its providers; throws AppError where that takes too long. */
async function hideProviders(source: string): Promise<string> {
  const shown = await parseInThread('removeProviders', source);
  if (typeof shown !== 'string') {
    throw new AppError('SERVICE_UNAVAILABLE', { publicMessage: shown.faults.map(formatFault).join() });
  }
  return shown;
}

interface Surroundings {
  readonly catalog: Pick<Catalog, 'instances'>;
  readonly providers: ProvidersInUse;
  readonly states: readonly CandidateState[];
  readonly explain: ExplainRoute;
}

function presentModel(
  model: CatalogModel,
  { catalog, providers, states, explain }: Surroundings,
): Omit<ModelItem, 'is_offered' | 'waits_for_key' | 'is_sandbox' | 'tasks_today'> {
  const used = selectRoutes(model, providers);
  const costly = used.filter(({ provider }) => !isSandbox(catalog, provider));
  const routes = [...used, ...model.routes.filter((route) => !used.includes(route))];
  return {
    id: model.id,
    name: model.name,
    family: model.family,
    types: model.types,
    enabled: model.enabled,
    prices: listOffers(model).map((offer) => presentPrice(model, costly, offer)),
    routes: routes.map((route) => {
      const own = states.filter((one) => one.provider === route.provider && one.model === route.model);
      return {
        provider: route.provider,
        model: route.model,
        cost: presentAmounts(route.costMicros),
        in_use: used.includes(route),
        blocked_because: used.includes(route) ? explain(route) : explainUnused(route, { catalog, providers }),
        circuit: findWorstCircuit(own),
        accounts_paused: Math.max(0, ...own.map(({ accounts_paused }) => accounts_paused)),
        paused_seconds: Math.max(0, ...own.map(({ paused_seconds }) => paused_seconds)),
        set_aside: own.some(({ set_aside }) => set_aside),
        running: own.reduce((sum, { running }) => sum + running, 0),
      };
    }),
  };
}

function explainUnused(
  { provider }: Pick<CatalogRoute, 'provider'>,
  { catalog, providers }: Pick<Surroundings, 'catalog' | 'providers'>,
): string {
  const variable = getKeyVariable(provider, catalog);
  const isKnown = providers.names.includes(provider);
  return variable === null || isKnown
    ? 'the generation workers do not use it'
    : 'no key in a generation worker, or not in PROVIDERS';
}

function presentPrice(
  model: CatalogModel,
  used: CatalogModel['routes'],
  { resolution, quality }: ReturnType<typeof listOffers>[number],
): ModelItem['prices'][number] {
  const price = getPriceMicros(model, resolution, quality) ?? 0n;
  const [cheapest] = used
    .flatMap((route) => {
      const cost = getCostMicros(route, resolution, quality);
      return cost === undefined ? [] : [{ name: `${route.provider} ${route.model}`, cost }];
    })
    .sort((a, b) => Number(a.cost - b.cost));
  return {
    resolution,
    quality,
    price: formatDollars(price),
    cost: cheapest ? formatDollars(cheapest.cost) : null,
    cheapest: cheapest?.name ?? null,
    margin: cheapest ? formatDollars(price - cheapest.cost) : null,
  };
}
