import type { Catalog, CatalogFault } from '@image-gateway/shared/catalog/document';
import type { ModelImpact } from '@image-gateway/shared/catalog/schema';
import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import type { CliContext } from '../../cli/cli-context.js';
import { listWorkerProviders, mergeProviders } from '../../provider/list-worker-providers.js';
import { readProvidersInUse } from '../../provider/read-providers-in-use.js';
import { type DocumentChange, describeChange } from '../compare-documents.js';
import { findWarnings } from '../find-warnings.js';
import { judgeImpact } from '../judge-impact.js';
import { type JudgedOffer, judgeOffer } from '../judge-offer.js';
import { renderWarnings } from './render-faults.js';

/** Notes for an operator about a catalog that can be applied. */
export interface CatalogNotes {
  readonly warnings: readonly CatalogFault[];
  readonly waiting_models: readonly string[];
  readonly sandbox_models: readonly string[];
  /** Customers whom the change concerns. */
  readonly impact: readonly ModelImpact[];
}

/**
 * Finds what an operator should know of a catalog, by the reports of the workers. Without the catalog before, which is in the
 * database, this environment alone decides. Throws ConfigError.
 */
export async function findNotes(
  { env, db }: Pick<CliContext, 'env' | 'db'>,
  {
    before,
    after: catalog,
    changes,
  }: {
    readonly before: Catalog | null;
    readonly after: Catalog;
    readonly changes: readonly DocumentChange[];
  },
): Promise<CatalogNotes> {
  const workers = before === null ? [] : await listWorkerProviders(db());
  const providers = mergeProviders(readProvidersInUse(env)(catalog), workers);
  const enabledModels = readEnabledModels(env);
  const judged: JudgedOffer = judgeOffer(catalog, { enabledModels, providers });
  return {
    warnings: findWarnings(catalog, providers),
    waiting_models: judged.waiting,
    sandbox_models: judged.sandbox,
    impact:
      before === null
        ? []
        : await judgeImpact(db(), { before, after: catalog, changes, enabledModels, providers }),
  };
}

/** Reads ENABLED_MODELS; undefined where the switches of the models decide. */
export function readEnabledModels(env: CliContext['env']): readonly string[] | undefined {
  const { ENABLED_MODELS: names = [] } = loadSettings({ ENABLED_MODELS: sharedSettings.ENABLED_MODELS }, env);
  return names.length > 0 ? names : undefined;
}

/** Renders what an operator should know of a catalog, a line each. */
export function renderNotes({ warnings, waiting_models, sandbox_models, impact }: CatalogNotes): string {
  const waiting = waiting_models.map(
    (id) =>
      `\n${id} is not on offer: no provider of its routes has a key in a generation worker. It goes on offer by itself when one has.`,
  );
  const sandbox =
    sandbox_models.length === 0
      ? ''
      : `\nOnly the sandbox draws ${sandbox_models.join(', ')}: test images, at the price of the model.`;
  return `${impact.map(renderImpact).join('')}${waiting.join('')}${sandbox}${renderWarnings(warnings)}`;
}

const KINDS = { gone: 'is removed', off: 'goes off offer', on: 'goes on offer', new: 'is new' } as const;

/** Renders whom a change of a model concerns: a line for it, and one for each price. */
function renderImpact({
  model,
  kind,
  is_rerouted: isRerouted,
  prices,
  aliases,
  ...users
}: ModelImpact): string {
  const what = `${kind === null ? '' : ` ${KINDS[kind]};`}${isRerouted ? ' its routes change;' : ''}`;
  const used =
    `limits of keys that name it: ${users.keys}, accounts that used it in 30 days: ${users.accounts}, ` +
    `open tasks: ${users.open_tasks}`;
  const steps = prices.map(({ offer, from, to, cost, is_leap: isLeap }) => {
    const step = from === to ? `stays ${to}` : `${from ?? 'not sold'} → ${to ?? 'not sold'}`;
    const below = cost === null ? '' : `, below the cheapest cost of ${cost}`;
    return `\n  ${offer}: ${step}${isLeap ? ', a factor of ten or more' : ''}${below}`;
  });
  const lost = aliases.map(({ alias, to }) => `\n  alias ${alias}: ${to === null ? 'gone' : `is of ${to}`}`);
  return `\n${model}:${what} ${used}${steps.join('')}${lost.join('')}`;
}

/** Renders what a change changes, a line each. */
export function renderChanges(changes: readonly DocumentChange[]): string {
  return changes.length === 0
    ? '\nNothing changes.'
    : changes.map((change) => `\n  ${change.path}: ${describeChange(change)}`).join('');
}
