import { Link } from '@tanstack/react-router';
import { Building2 } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../../api/use-get.js';
import { Card } from '../../../ui/card.js';
import { TextField } from '../../../ui/forms/text-field.js';
import { Page } from '../../../ui/page.js';
import { PartPager, usePlaces } from '../../../ui/part-pager.js';
import { Empty } from '../../../ui/states/empty.js';
import { Load } from '../../../ui/states/load.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import { Table } from '../../../ui/table.js';
import { Time } from '../../../ui/time.js';

/** All accounts, to be found by address or id. */
export function Accounts() {
  const places = usePlaces();
  const [wanted, setWanted] = useState('');
  const query = useGet({ path: '/operator/accounts', query: { before: places.before, q: wanted } });
  return (
    <Page title="Accounts" lead="Customers of this gateway, newest first.">
      <div className="max-w-md">
        <TextField
          label="Search"
          type="search"
          placeholder="E-mail address or acc_…"
          value={wanted}
          onChange={(event) => {
            setWanted(event.target.value);
            places.reset();
          }}
        />
      </div>
      <Card flush className="pt-3">
        <Load query={query} rows={6}>
          {({ items, next }) => (
            <>
              {items.length === 0 ? (
                <Empty icon={Building2} title="No account fits">
                  The search looks for a part of the address, or for a whole id.
                </Empty>
              ) : (
                <Table
                  caption="Accounts"
                  rows={items}
                  getKey={({ id }) => id}
                  columns={[
                    {
                      title: 'Account',
                      cell: ({ id, email }) => (
                        <Link to="/operator/accounts/$id" params={{ id }} className="group block">
                          <span className="break-all font-medium underline-offset-4 group-hover:underline">
                            {email}
                          </span>
                          <span className="block break-all font-mono text-muted text-xs">{id}</span>
                        </Link>
                      ),
                    },
                    {
                      title: 'Tasks',
                      align: 'right',
                      from: 'md',
                      cell: ({ tasks }) => <span className="figures">{tasks.toLocaleString('en')}</span>,
                    },
                    { title: 'Since', from: 'lg', cell: ({ created_at }) => <Time iso={created_at} /> },
                    {
                      title: 'Balance',
                      align: 'right',
                      cell: ({ balance }) => <span className="figures">{balance}</span>,
                    },
                    {
                      title: 'State',
                      align: 'right',
                      cell: ({ status }) => <StatusBadge status={status} />,
                    },
                  ]}
                />
              )}
              <PartPager places={places} next={next} />
            </>
          )}
        </Load>
      </Card>
    </Page>
  );
}
