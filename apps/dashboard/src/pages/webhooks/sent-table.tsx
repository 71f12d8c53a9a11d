import type { DeliveryItem } from '@image-gateway/shared/webhook/schema';
import { useState } from 'react';
import { useSend } from '../../api/use-api.js';
import { StatusBadge } from '../../ui/badge.js';
import { Button } from '../../ui/forms/button.js';
import { Dialog } from '../../ui/forms/dialog.js';
import { ErrorNotice } from '../../ui/states.js';
import { type Column, Table } from '../../ui/table.js';
import { DeliveryAttempts } from './delivery-attempts.js';

/** Fields that deliveries of webhooks and of events have in common. */
type Sent = Omit<DeliveryItem, 'task_id'>;

/** Table of what was sent to receivers: its own columns, the state, the attempts in a dialog, and a button that sends one again. */
export function SentTable<T extends Sent>({
  caption,
  title,
  rows,
  columns,
  resend = '/webhooks/:id/resend',
  renews,
}: {
  readonly caption: string;
  /** Title of the dialog. */
  readonly title: string;
  readonly rows: readonly T[];
  /** Columns before those that all have. */
  readonly columns: readonly Column<T>[];
  /** Path that sends one again. */
  readonly resend?: '/webhooks/:id/resend' | '/operator/events/:id/resend';
  /** First words of the paths that are read again after sending. */
  readonly renews: readonly string[];
}) {
  const send = useSend(resend, renews);
  const [shownId, setShownId] = useState<string | null>(null);
  const shown = rows.find(({ id }) => id === shownId);
  return (
    <>
      {send.error && (
        <div className="px-5 pb-3 sm:px-6">
          <ErrorNotice error={send.error} />
        </div>
      )}
      <Table
        caption={caption}
        rows={rows}
        getKey={({ id }) => id}
        columns={[
          ...columns,
          { title: 'Created', from: 'lg', when: ({ created_at }) => created_at },
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
        title={title}
        note={<span className="break-all">{shown?.url}</span>}
      >
        {shown && <DeliveryAttempts delivery={shown} />}
      </Dialog>
    </>
  );
}
