import { ok } from '@image-gateway/shared/contract';
import type { Reads } from '@image-gateway/shared/db';
import { presentUsageSum } from '@image-gateway/shared/presenters';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import type { Handler, KeyCall } from '../../http/framework/call.js';
import { omitUndefined, readQuery } from '../../http/query.js';
import { groupUsage, parseGroups } from '../../operations/usage/group-usage.js';

/** Dependencies of the handler. */
interface SummarizeUsageDeps {
  readonly reads: Pick<Reads, 'ofAccount'>;
  readonly queries: QuerySchemas;
}

/** `GET /v1/usage/summary`: the caller's usage, summed up by model or by the fields that the query names. */
export function summarizeUsage(deps: SummarizeUsageDeps): Handler<KeyCall> {
  return async (call) => {
    const query = readQuery(deps.queries.usageSummary, call);
    const { from, to, model, api_key_id: apiKeyId, metadata, group_by, include } = query;
    const db = deps.reads.ofAccount(call.caller.accountId);
    const sums = await groupUsage(db, call.caller.accountId, {
      ...omitUndefined({ from, to, model, apiKeyId, metadata }),
      ...parseGroups(group_by),
      includeRefunds: include !== undefined,
    });
    return {
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      json: ok(sums.map(presentUsageSum)),
    };
  };
}
