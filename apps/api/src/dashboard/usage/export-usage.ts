import { Readable } from 'node:stream';
import type { AccountReads, Reads } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { Handler } from '../../http/framework/call.js';
import type { UsageSpan } from '../../operations/usage/find-usage.js';
import { type Charge, listCharges } from '../../operations/usage/list-charges.js';
import type { OwnerCall } from '../route.js';
import { readUsageSpan } from './read-usage-span.js';

const HEADER = 'time,kind,task_id,model,type,images,api_key_id,cost_usd\r\n';

/**
 * `GET /dashboard/api/usage.csv`: a line for each charge and each refund of the span, straight from the books. The column
 * `cost_usd` adds up to the amount that left the balance.
 */
export function exportUsage({ reads }: { readonly reads: Pick<Reads, 'ofAccount'> }): Handler<OwnerCall> {
  return (call) => {
    const span = readUsageSpan(call);
    return {
      status: 200,
      headers: {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': `attachment; filename="usage-${span.from}-to-${span.to}.csv"`,
        'Cache-Control': 'no-store',
      },
      stream: Readable.from(lines(reads.ofAccount(call.accountId), call.accountId, span)),
    };
  };
}

async function* lines(db: AccountReads, accountId: string, span: UsageSpan): AsyncGenerator<string> {
  yield HEADER;
  for await (const charges of listCharges(db, accountId, span)) {
    yield charges.map(formatLine).join('');
  }
}

// All values are ids, names of the catalog or numbers. None needs quotes.
function formatLine({ createdAt, kind, taskId, model, type, units, apiKeyId, amountMicros }: Charge): string {
  const cost = `${kind === 'refund' ? '-' : ''}${formatDollars(amountMicros).slice(1)}`;
  const word = kind === 'refund' ? 'refund' : 'charge';
  return `${[createdAt.toISOString(), word, taskId, model, type, units, apiKeyId, cost].join(',')}\r\n`;
}
