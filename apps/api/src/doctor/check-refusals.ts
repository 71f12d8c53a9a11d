import type { Catalog } from '@image-gateway/shared/catalog/document';
import type { Database } from '@image-gateway/shared/db';
import { explainError } from '../cli/explain-error.js';
import { listWorkerProviders, mergeProviders } from '../provider/list-worker-providers.js';
import { listRefusedModels } from '../provider/provider-needs.js';
import { findRefusals } from '../provider/refusals.js';
import { type CheckResult, fault, warning } from './check-result.js';

/** Without a worker that reports, nothing is drawn at all, which another check says. */
const NONE = { names: [], sandboxServesRest: false } as const;

/** Checks what vendors have refused in the last hour: keys, money, quotas, models. A model that all of them refuse is a fault. */
export async function checkRefusals(
  db: Pick<Database, 'run'>,
  loading: Promise<Pick<Catalog, 'models' | 'instances'>>,
  enabledModels: readonly string[] | undefined,
): Promise<CheckResult[]> {
  try {
    const [catalog, workers] = await Promise.all([loading, listWorkerProviders(db)]);
    const { refusals, explainRoute } = await findRefusals(db, { catalog, enabledModels, workers });
    const providers = mergeProviders(NONE, workers);
    const refused = listRefusedModels({ catalog, enabledModels, providers }, explainRoute);
    return [
      ...refused.map(({ observed, remediation }) => fault('models', observed, remediation)),
      ...refusals.map(({ provider, observed, remediation, since }) =>
        warning(provider, `${observed}, since ${since.toISOString()}`, remediation),
      ),
    ];
  } catch (error) {
    return [warning('providers', 'their calls cannot be read', explainError(error).message)];
  }
}
