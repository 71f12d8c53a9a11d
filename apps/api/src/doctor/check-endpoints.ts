import type { Database } from '@image-gateway/shared/db';
import { explainError } from '../cli/explain-error.js';
import { listEndpoints } from '../endpoint/list-endpoints.js';
import { type CheckResult, fault, fine, warning } from './check-result.js';

const PART = 'events';

/** Checks that somebody is told what needs an operator. */
export async function checkEndpoints(db: Database): Promise<CheckResult[]> {
  try {
    const endpoints = await listEndpoints(db, null);
    const failing = endpoints.filter(
      ({ failing_since: since, disabled_at: disabled }) => since !== null || disabled !== null,
    );
    if (endpoints.length === 0) {
      return [fine(PART, 'operators have no endpoint: only the page "System" tells what needs one')];
    }
    if (failing.length === endpoints.length) {
      return [
        fault(
          PART,
          `no endpoint of operators takes events: ${failing.map(({ id }) => id).join(', ')}`,
          'Correct their receivers, then try: gateway endpoint test ID',
        ),
      ];
    }
    const last = endpoints
      .flatMap(({ last_delivered_at: at }) => at ?? [])
      .sort()
      .at(-1);
    return last === undefined
      ? [warning(PART, 'no event was delivered to operators yet', 'Try it: gateway endpoint test ID')]
      : [fine(PART, `operators got the last one at ${last}`)];
  } catch (error) {
    return [warning(PART, 'endpoints cannot be read', explainError(error).message)];
  }
}
