import { ok, type QuerySchemas } from '@image-gateway/shared/contract';
import { type Database, sumUsage } from '@image-gateway/shared/db';
import { presentUsageSum } from '@image-gateway/shared/presenters';
import type { Handler, KeyCall } from '../http/call.js';
import { defined } from '../http/defined.js';
import { readQuery } from '../http/read-query.js';

/** `GET /v1/usage/summary`: the caller's usage, summed up by model. */
export function summarizeUsage(deps: {
  readonly db: Pick<Database, 'run'>;
  readonly schema: QuerySchemas['usageSummary'];
}): Handler<KeyCall> {
  return async (call) => {
    const { from, to, model, api_key_id: apiKeyId } = readQuery(deps.schema, call);
    const sums = await sumUsage(deps.db, call.caller.accountId, defined({ from, to, model, apiKeyId }));
    return {
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      json: ok(sums.map(presentUsageSum)),
    };
  };
}
