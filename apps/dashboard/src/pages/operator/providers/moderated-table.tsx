import type { ModeratedItem } from '@image-gateway/shared/provider/schema';
import { Link } from '@tanstack/react-router';
import { Card } from '../../../ui/card.js';
import { Table } from '../../../ui/table.js';
import { Time } from '../../../ui/time.js';

/** Accounts whose calls moderation has refused, by provider. */
export function ModeratedTable({ accounts }: { readonly accounts: readonly ModeratedItem[] }) {
  return (
    <Card
      title="Refused by moderation"
      note="Vendors block keys whose calls break their rules too often. Talk to the account, or suspend it."
      flush
    >
      <Table
        caption="Refused by moderation"
        rows={accounts}
        getKey={({ account_id, provider }) => `${account_id} ${provider}`}
        columns={[
          {
            title: 'Account',
            cell: ({ account_id, email }) => (
              <Link
                to="/operator/accounts/$id"
                params={{ id: account_id }}
                className="break-all font-medium underline underline-offset-4"
              >
                {email}
              </Link>
            ),
          },
          { title: 'Provider', cell: ({ provider }) => provider },
          { title: 'Since', from: 'md', cell: ({ since }) => <Time iso={since} /> },
          { title: 'Last', from: 'sm', cell: ({ last_at }) => <Time iso={last_at} /> },
          {
            title: 'Calls',
            align: 'right',
            cell: ({ refused }) => <span className="figures">{refused.toLocaleString('en')}</span>,
          },
        ]}
      />
    </Card>
  );
}
