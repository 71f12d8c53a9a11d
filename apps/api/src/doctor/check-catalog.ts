import {
  type Catalog,
  findKeptFaults,
  findLosses,
  formatFault,
  listEnabledModels,
  type ProvidersInUse,
  type StatedEnd,
} from '@image-gateway/shared/catalog/document';
import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import type { LoadedCatalog } from '@image-gateway/shared/db';
import { describeUnknownModels } from '../catalog/describe-unknown-models.js';
import { explainError } from '../cli/explain-error.js';
import { mergeProviders, type WorkerProviders } from '../provider/list-worker-providers.js';
import { listModelNeeds } from '../provider/provider-needs.js';
import { readProvidersInUse } from '../provider/read-providers-in-use.js';
import { type CheckResult, fault, fine, warning } from './check-result.js';

type Env = Readonly<Record<string, string | undefined>>;

const PART = 'catalog';
const { ENABLED_MODELS } = sharedSettings;

/**
 * Checks that this release reads the newest version of the catalog. No model on offer may be sold below cost, or have a route
 * that a newer rule refuses.
 */
export async function checkCatalog(
  env: Env,
  loading: Promise<LoadedCatalog>,
  reported: Promise<readonly WorkerProviders[]> | readonly WorkerProviders[],
  listed: Promise<readonly StatedEnd[]> | readonly StatedEnd[],
): Promise<CheckResult[]> {
  try {
    const [{ version, newestVersion, catalog, unreadable }, workers, stated] = await Promise.all([
      loading,
      reported,
      listed,
    ]);
    const state =
      version === newestVersion
        ? fine(PART, `version ${version} is active`)
        : fault(
            PART,
            `version ${newestVersion} cannot be read by this release (${unreadable}); version ${version} stays active`,
            `Upgrade the processes that run an older release, or return to a readable version: catalog rollback ${version}`,
          );
    const offered = listEnabledModels(catalog, readEnabledModels(env));
    const models = new Map(offered.map((model) => [model.id, model]));
    const usable = mergeProviders(readUsableProviders(env, catalog), workers);
    const losses = findLosses({ ...catalog, models }, (provider) => usable.names.includes(provider));
    const needs = listModelNeeds({
      catalog,
      enabledModels: readEnabledModels(env),
      providers: usable,
      stated,
    });
    const unknown = describeUnknownModels(catalog, readEnabledModels(env));
    return [
      state,
      ...(unknown === null
        ? []
        : [fault(PART, unknown, 'Correct ENABLED_MODELS of the API and the generation workers.')]),
      ...needs.map(({ observed, remediation }) => warning(PART, observed, remediation)),
      ...findKeptFaults({ ...catalog, models }).map((kept) =>
        warning(PART, formatFault(kept), 'Correct it in the document, then: catalog apply'),
      ),
      ...losses.map((loss) =>
        warning(PART, formatFault(loss), 'Raise the price, or add a cheaper route, with: catalog apply'),
      ),
    ];
  } catch (error) {
    return [warning(PART, 'cannot be read', explainError(error).message)];
  }
}

/** Reads ENABLED_MODELS; undefined where it is not set, or faulty. */
export function readEnabledModels(env: Env): readonly string[] | undefined {
  try {
    return loadSettings({ ENABLED_MODELS }, env).ENABLED_MODELS;
  } catch {
    // The check of the settings reports it.
    return undefined;
  }
}

function readUsableProviders(env: Env, catalog: Catalog): ProvidersInUse {
  try {
    return readProvidersInUse(env)(catalog);
  } catch {
    // The check of the providers reports it.
    return { names: [], sandboxServesRest: true };
  }
}
