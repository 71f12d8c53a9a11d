import type { QuerySchemas } from '@image-gateway/shared/contract';
import { type Database, listUsage as findUsage } from '@image-gateway/shared/db';
import { presentUsage } from '@image-gateway/shared/presenters';
import type { Handler, KeyCall } from '../http/call.js';
import { defined } from '../http/defined.js';
import { pageReply, sliceOf } from '../http/page-reply.js';
import { readQuery } from '../http/read-query.js';

/** `GET /v1/usage`: the caller's usage records, newest first. */
export function listUsage(deps: {
  readonly db: Pick<Database, 'run'>;
  readonly schema: QuerySchemas['usage'];
}): Handler<KeyCall> {
  return async (call) => {
    const query = readQuery(deps.schema, call);
    const { from, to, model, api_key_id: apiKeyId } = query;
    const filter = defined({ from, to, model, apiKeyId });
    const { rows, total } = await findUsage(deps.db, call.caller.accountId, filter, sliceOf(query));
    return pageReply(query, rows.map(presentUsage), total);
  };
}
