import { listUsage, listUsageWithRefunds, type Reads } from '@image-gateway/shared/db';
import { presentUsage } from '@image-gateway/shared/presenters';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import type { Handler, KeyCall } from '../../http/framework/call.js';
import { omitUndefined, pageReply, readQuery, toSlice } from '../../http/query.js';
import type { ExportUsage } from '../../operations/usage/export-usage.js';

/** Dependencies of the handler. */
export interface ListUsageDeps {
  readonly reads: Pick<Reads, 'ofAccount'>;
  readonly queries: QuerySchemas;
  readonly exportUsage: ExportUsage;
}

/** `GET /v1/usage`: the caller's usage records, newest first, as a page or all of them as a file. */
export function listUsageHandler({ reads, queries, exportUsage }: ListUsageDeps): Handler<KeyCall> {
  return async (call) => {
    const { accountId } = call.caller;
    const query = readQuery(queries.usage, call);
    const { from, to, model, api_key_id: apiKeyId, metadata, format } = query;
    const filter = omitUndefined({ from, to, model, apiKeyId, metadata });
    if (format !== undefined) {
      const { contentType, stream } = await exportUsage({ accountId, filter, format });
      return { status: 200, headers: { 'Content-Type': contentType, 'Cache-Control': 'no-store' }, stream };
    }
    const find = query.include === undefined ? listUsage : listUsageWithRefunds;
    const { rows, total } = await find(reads.ofAccount(accountId), accountId, filter, toSlice(query));
    return pageReply(query, rows.map(presentUsage), total);
  };
}
