import type { Database } from '@image-gateway/shared/db';
import { explainError } from '../cli/explain-error.js';
import { listRefusals } from '../provider/provider-needs.js';
import { type CheckResult, warning } from './check-result.js';

/** Checks what vendors have refused in the last hour: keys, money, quotas, models. */
export async function checkRefusals(db: Pick<Database, 'run'>): Promise<CheckResult[]> {
  try {
    const refusals = await listRefusals(db);
    return refusals.map(({ provider, observed, remediation, since }) =>
      warning(provider, `${observed}, since ${since?.toISOString()}`, remediation),
    );
  } catch (error) {
    return [warning('providers', 'their calls cannot be read', explainError(error).message)];
  }
}
