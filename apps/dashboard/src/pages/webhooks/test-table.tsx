import type { WebhookTestView } from '@image-gateway/shared/webhook/schema';
import { StatusBadge } from '../../ui/status-badge.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';

/** Test events of the last day, as the log of deliveries shows them. */
export function TestTable({ tests }: { readonly tests: readonly WebhookTestView[] }) {
  return (
    <Table
      caption="Test events"
      rows={tests}
      getKey={({ id }) => id}
      columns={[
        {
          title: 'Receiver of a test event',
          cell: ({ id, url }) => (
            <span className="grid gap-0.5">
              <span className="break-all font-medium">{url}</span>
              <span className="break-all font-mono text-muted text-xs">{id}</span>
            </span>
          ),
        },
        {
          title: 'Response',
          cell: ({ status, error, ms }) => (
            <span className="figures">
              {status === null ? (error ?? '–') : `HTTP ${status}`}
              {status !== null && ms !== null && ` after ${ms} ms`}
            </span>
          ),
        },
        { title: 'Sent', from: 'md', cell: ({ created_at }) => <Time iso={created_at} /> },
        { title: 'State', from: 'sm', align: 'right', cell: ({ state }) => <StatusBadge status={state} /> },
      ]}
    />
  );
}
