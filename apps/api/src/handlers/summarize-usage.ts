import { ok } from '@image-gateway/shared/contract';
import { type Reads, sumUsage } from '@image-gateway/shared/db';
import { presentUsageSum } from '@image-gateway/shared/presenters';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import { omitUndefined } from '../http/defined.js';
import type { Handler, KeyCall } from '../http/framework/call.js';
import { readQuery } from '../http/read-query.js';

/** `GET /v1/usage/summary`: the caller's usage, summed up by model. */
export function summarizeUsage(deps: {
  readonly reads: Pick<Reads, 'ofAccount'>;
  readonly schema: QuerySchemas['usageSummary'];
}): Handler<KeyCall> {
  return async (call) => {
    const { from, to, model, api_key_id: apiKeyId } = readQuery(deps.schema, call);
    const db = deps.reads.ofAccount(call.caller.accountId, 'from and to');
    const sums = await sumUsage(db, call.caller.accountId, omitUndefined({ from, to, model, apiKeyId }));
    return {
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      json: ok(sums.map(presentUsageSum)),
    };
  };
}
