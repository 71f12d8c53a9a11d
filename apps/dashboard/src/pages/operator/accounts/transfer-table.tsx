import type { TransferItem } from '@image-gateway/shared/account/schema';
import { Link } from '@tanstack/react-router';
import { Coins } from 'lucide-react';
import { Empty } from '../../../ui/states/empty.js';
import { Table } from '../../../ui/table.js';
import { Time } from '../../../ui/time.js';

/** Movements of money of an account. */
export function TransferTable({ transfers }: { readonly transfers: readonly TransferItem[] }) {
  if (transfers.length === 0) {
    return (
      <Empty icon={Coins} title="No money has moved">
        Credit the account to let it begin.
      </Empty>
    );
  }
  return (
    <Table
      caption="Movements of money"
      rows={transfers}
      getKey={({ id }) => id}
      columns={[
        {
          title: 'What',
          cell: ({ kind, task_id, reference, reason }) => (
            <>
              <span className="font-medium">{kind}</span>
              {task_id !== null && (
                <Link
                  to="/operator/tasks/$id"
                  params={{ id: task_id }}
                  className="block break-all font-mono text-muted text-xs underline underline-offset-4"
                >
                  {task_id}
                </Link>
              )}
              <span className="block text-muted text-xs [overflow-wrap:anywhere]">
                {[reason, nameReference(reference)].filter(Boolean).join(' · ')}
              </span>
            </>
          ),
        },
        { title: 'When', from: 'sm', cell: ({ created_at }) => <Time iso={created_at} /> },
        {
          title: 'Amount',
          align: 'right',
          cell: ({ amount }) => <span className="figures font-medium">{amount}</span>,
        },
      ]}
    />
  );
}

/** The form makes a random reference where none is given, which says nothing to people. */
const nameReference = (reference: string | null): string | null =>
  reference?.startsWith('dashboard:') ? null : reference;
