import type { DeliveryItem } from '@image-gateway/shared/contract';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useSend } from '../../api/use-send.js';
import { Button } from '../../ui/forms/button.js';
import { Dialog } from '../../ui/forms/dialog.js';
import { ErrorNotice } from '../../ui/states/error-notice.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';
import { DeliveryAttempts } from './delivery-attempts.js';

/** Deliveries with the responses of their receivers, and a button that sends one again. */
export function DeliveryTable({ deliveries }: { readonly deliveries: readonly DeliveryItem[] }) {
  const send = useSend('/webhooks/:id/resend', ['webhooks']);
  const [shownId, setShownId] = useState<string | null>(null);
  const shown = deliveries.find(({ id }) => id === shownId);
  return (
    <>
      {send.error && (
        <div className="px-5 pb-3 sm:px-6">
          <ErrorNotice error={send.error} />
        </div>
      )}
      <Table
        caption="Deliveries"
        rows={deliveries}
        getKey={({ id }) => id}
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
          { title: 'Created', from: 'lg', cell: ({ created_at }) => <Time iso={created_at} /> },
          { title: 'State', cell: ({ state }) => <StatusBadge status={state} /> },
          {
            title: 'Actions',
            silent: true,
            align: 'right',
            cell: ({ id }) => (
              <span className="flex flex-col items-end gap-1.5 sm:flex-row sm:justify-end">
                <Button small kind="quiet" onClick={() => setShownId(id)}>
                  Details
                </Button>
                <Button small disabled={send.isPending} onClick={() => send.mutate({ params: { id } })}>
                  Resend
                </Button>
              </span>
            ),
          },
        ]}
      />
      <Dialog
        open={shown !== undefined}
        onClose={() => setShownId(null)}
        title="Delivery"
        note={<span className="break-all">{shown?.url}</span>}
      >
        {shown && <DeliveryAttempts delivery={shown} />}
      </Dialog>
    </>
  );
}

function getHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
