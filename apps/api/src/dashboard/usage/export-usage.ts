import type { UsageFormat } from '@image-gateway/shared/contract';
import type { Handler } from '../../http/framework/call.js';
import type { ExportUsage } from '../../operations/usage/export-usage.js';
import { toRowFilter } from '../../operations/usage/find-usage.js';
import type { OwnerCall } from '../route.js';
import { readUsageQuery } from './read-usage-query.js';

/**
 * `GET /dashboard/api/usage.csv` and `usage.ndjson`: the files of `GET /v1/usage` for a span of days, and the API key of each
 * record. Costs add up to what left the balance.
 */
export function exportUsage(deps: {
  readonly exportUsage: ExportUsage;
  readonly format: UsageFormat;
}): Handler<OwnerCall> {
  return async (call) => {
    const { accountId } = call;
    const span = readUsageQuery(call);
    const { format } = deps;
    const wanted = { accountId, filter: toRowFilter(span), format, withKeys: true };
    const { contentType, stream } = await deps.exportUsage(wanted);
    return {
      status: 200,
      headers: {
        'Content-Type': contentType,
        'Content-Disposition': `attachment; filename="usage-${span.from}-to-${span.to}.${format}"`,
        'Cache-Control': 'no-store',
      },
      stream,
    };
  };
}
