import { listUsage as findUsage, type Reads } from '@image-gateway/shared/db';
import { presentUsage } from '@image-gateway/shared/presenters';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import type { Handler, KeyCall } from '../http/framework/call.js';
import { omitUndefined, pageReply, readQuery, toSlice } from '../http/query.js';

/** `GET /v1/usage`: the caller's usage records, newest first. */
export function listUsage(deps: {
  readonly reads: Pick<Reads, 'ofAccount'>;
  readonly queries: QuerySchemas;
}): Handler<KeyCall> {
  return async (call) => {
    const query = readQuery(deps.queries.usage, call);
    const { from, to, model, api_key_id: apiKeyId } = query;
    const filter = omitUndefined({ from, to, model, apiKeyId });
    const db = deps.reads.ofAccount(call.caller.accountId, 'from and to');
    const { rows, total } = await findUsage(db, call.caller.accountId, filter, toSlice(query));
    return pageReply(query, rows.map(presentUsage), total);
  };
}
