import type { Catalog } from '@image-gateway/shared/catalog/document';
import type { Database } from '@image-gateway/shared/db';
import { explainError } from '../cli/explain-error.js';
import { listUnusedBy, listWorkerProviders } from '../provider/list-worker-providers.js';
import { type CheckResult, warning } from './check-result.js';

/**
 * Checks that every live generation worker calls the provider instances of the catalog: each reads their keys in an environment
 * of its own.
 */
export async function checkInstances(
  db: Pick<Database, 'run'>,
  catalog: Promise<Pick<Catalog, 'instances'>>,
): Promise<CheckResult[]> {
  try {
    const [workers, { instances }] = await Promise.all([listWorkerProviders(db), catalog]);
    return [...instances.values()].flatMap(({ name, keyEnv }) =>
      listUnusedBy(workers, name).map((worker) =>
        warning(
          name,
          `the generation worker ${worker} does not call it`,
          keyEnv === null ? 'Add it to PROVIDERS there.' : `Set ${keyEnv} there, or add it to PROVIDERS.`,
        ),
      ),
    );
  } catch (error) {
    return [warning('providers', 'the reports of the workers cannot be read', explainError(error).message)];
  }
}
