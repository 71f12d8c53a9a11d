import type { ProviderLimitItem } from '@image-gateway/shared/provider/schema';
import { Badge } from '../../../ui/badge.js';
import { Card } from '../../../ui/card.js';
import { Table } from '../../../ui/table.js';

/** Daily ceilings and pauses of providers. */
export function LimitTable({ limits }: { readonly limits: readonly ProviderLimitItem[] }) {
  return (
    <Card
      title="Ceilings and pauses"
      note="Set on the page Models, or on the command line. A day is one in UTC."
      flush
    >
      <Table
        caption="Ceilings and pauses"
        rows={limits}
        getKey={({ provider, cost_day }) => `${provider} ${cost_day}`}
        columns={[
          {
            title: 'Provider',
            cell: ({ provider }) => (
              <span className="font-medium">{provider === '*' ? 'All providers' : provider}</span>
            ),
          },
          {
            title: 'Ceiling a day',
            align: 'right',
            cell: ({ cost_day }) => <span className="figures">{cost_day ?? '–'}</span>,
          },
          {
            title: 'Spent today',
            align: 'right',
            cell: ({ spent_today }) => <span className="figures">{spent_today}</span>,
          },
          {
            title: 'Calls',
            cell: ({ paused, paused_until }) =>
              paused ? (
                <Badge tone="warm">
                  {paused_until === null
                    ? 'paused'
                    : `paused until ${new Date(paused_until).toLocaleString('en')}`}
                </Badge>
              ) : (
                <Badge tone="good">allowed</Badge>
              ),
          },
        ]}
      />
    </Card>
  );
}
