import type { Catalog, CatalogFault } from '@image-gateway/shared/catalog/document';
import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import type { CliContext } from '../../cli/cli-context.js';
import { listWorkerProviders, mergeProviders } from '../../provider/list-worker-providers.js';
import { readProvidersInUse } from '../../provider/read-providers-in-use.js';
import { type DocumentChange, describeChange } from '../compare-documents.js';
import { findWarnings } from '../find-warnings.js';
import { type JudgedOffer, judgeOffer } from '../judge-offer.js';
import { renderWarnings } from './render-faults.js';

/** Notes for an operator about a catalog that can be applied. */
export interface CatalogNotes {
  readonly warnings: readonly CatalogFault[];
  readonly waiting_models: readonly string[];
  readonly sandbox_models: readonly string[];
}

/**
 * Finds what an operator should know of a catalog, by the reports of the workers; without them by this environment alone.
 * Throws ConfigError.
 */
export async function findNotes(
  { env, db }: Pick<CliContext, 'env' | 'db'>,
  catalog: Catalog,
  { withWorkers = true }: { readonly withWorkers?: boolean } = {},
): Promise<CatalogNotes> {
  const workers = withWorkers ? await listWorkerProviders(db()) : [];
  const providers = mergeProviders(readProvidersInUse(env)(catalog), workers);
  const judged: JudgedOffer = judgeOffer(catalog, { enabledModels: readEnabledModels(env), providers });
  return {
    warnings: findWarnings(catalog, providers),
    waiting_models: judged.waiting,
    sandbox_models: judged.sandbox,
  };
}

/** Reads ENABLED_MODELS; undefined where the switches of the models decide. */
export function readEnabledModels(env: CliContext['env']): readonly string[] | undefined {
  const { ENABLED_MODELS: names = [] } = loadSettings({ ENABLED_MODELS: sharedSettings.ENABLED_MODELS }, env);
  return names.length > 0 ? names : undefined;
}

/** Renders what an operator should know of a catalog, a line each. */
export function renderNotes({ warnings, waiting_models, sandbox_models }: CatalogNotes): string {
  const waiting = waiting_models.map(
    (id) =>
      `\n${id} is not on offer: no provider of its routes has a key in a generation worker. It goes on offer by itself when one has.`,
  );
  const sandbox =
    sandbox_models.length === 0
      ? ''
      : `\nOnly the sandbox draws ${sandbox_models.join(', ')}: test images, at the price of the model.`;
  return `${waiting.join('')}${sandbox}${renderWarnings(warnings)}`;
}

/** Renders what a change changes, a line each. */
export function renderChanges(changes: readonly DocumentChange[]): string {
  return changes.length === 0
    ? '\nNothing changes.'
    : changes.map((change) => `\n  ${change.path}: ${describeChange(change)}`).join('');
}
