import type { DeliveryItem } from '@image-gateway/shared/webhook/schema';
import { Link } from '@tanstack/react-router';
import { SentTable } from './sent-table.js';

/** Deliveries with the responses of their receivers, and a button that sends one again. */
export function DeliveryTable({ deliveries }: { readonly deliveries: readonly DeliveryItem[] }) {
  return (
    <SentTable
      caption="Deliveries"
      title="Delivery"
      rows={deliveries}
      renews={['webhooks']}
      columns={[
        {
          title: 'Receiver',
          cell: ({ url, task_id }) => (
            <span className="grid gap-0.5">
              <span className="break-all font-medium">{getHost(url)}</span>
              <Link
                to="/tasks/$id"
                params={{ id: task_id }}
                className="break-all font-mono text-muted text-xs underline underline-offset-4"
              >
                {task_id}
              </Link>
            </span>
          ),
        },
        {
          title: 'Response',
          from: 'md',
          cell: ({ last_status, last_error }) => (
            <span className="figures">
              {last_status === null ? (last_error ?? '–') : `HTTP ${last_status}`}
            </span>
          ),
        },
        {
          title: 'Attempts',
          from: 'lg',
          align: 'right',
          cell: ({ attempt }) => <span className="figures">{attempt}</span>,
        },
      ]}
    />
  );
}

function getHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
