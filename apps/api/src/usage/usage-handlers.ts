import { ok, toSlice } from '@image-gateway/shared/contract';
import { listUsage, listUsageWithRefunds, type Reads } from '@image-gateway/shared/db';
import { presentUsage, presentUsageSum } from '@image-gateway/shared/presenters';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import { fileReply } from '../http/file-reply.js';
import type { Handler, KeyCall } from '../http/framework/call.js';
import { omitUndefined, pageReply, readQuery } from '../http/query.js';
import type { ExportUsage } from './export-usage.js';
import { groupUsage, parseGroups } from './group-usage.js';

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
      return fileReply(await exportUsage({ accountId, filter, format }));
    }
    const find = query.include === undefined ? listUsage : listUsageWithRefunds;
    const { rows, total } = await find(reads.ofAccount(accountId), accountId, filter, toSlice(query));
    return pageReply(query, rows.map(presentUsage), total);
  };
}

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
