import type { Database } from '@image-gateway/shared/db';
import { explainError } from '../cli/explain-error.js';
import { loadRefusals, type RefusalScope } from '../provider/refusals.js';
import { type CheckResult, warning } from './check-result.js';

/** Checks what vendors have refused in the last hour: keys, money, quotas, models. */
export async function checkRefusals(
  db: Pick<Database, 'run'>,
  loading: Promise<RefusalScope['catalog']>,
  enabledModels: readonly string[] | undefined,
): Promise<CheckResult[]> {
  try {
    const { refusals } = await loadRefusals(db, { catalog: await loading, enabledModels });
    return refusals.map(({ provider, observed, remediation, since }) =>
      warning(provider, `${observed}, since ${since.toISOString()}`, remediation),
    );
  } catch (error) {
    return [warning('providers', 'their calls cannot be read', explainError(error).message)];
  }
}
