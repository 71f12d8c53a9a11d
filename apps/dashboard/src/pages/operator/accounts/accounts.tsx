import { Link } from '@tanstack/react-router';
import { Building2 } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../../api/use-api.js';
import { StatusBadge } from '../../../ui/badge.js';
import { Field } from '../../../ui/forms/fields.js';
import { TasksLink } from '../../../ui/links.js';
import { Page } from '../../../ui/page.js';
import { PartTable, usePlaces } from '../../../ui/pager.js';
import { Empty } from '../../../ui/states.js';

/** All accounts, to be found by address or id. */
export function Accounts() {
  const places = usePlaces();
  const [wanted, setWanted] = useState('');
  const query = useGet({ path: '/operator/accounts', query: { before: places.before, q: wanted } });
  return (
    <Page title="Accounts" lead="Customers of this gateway, newest first.">
      <div className="max-w-md">
        <Field
          label="Search"
          type="search"
          placeholder="E-mail address or acc_…"
          value={wanted}
          onChange={(text) => {
            setWanted(text);
            places.reset();
          }}
        />
      </div>
      <PartTable
        caption="Accounts"
        query={query}
        places={places}
        empty={
          <Empty icon={Building2} title="No account fits">
            The search looks for a part of the address, or for a whole id.
          </Empty>
        }
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
            from: 'md',
            align: 'right',
            cell: ({ id, tasks }) => (
              <span className="figures">
                <TasksLink search={{ account: id }}>{tasks.toLocaleString('en')}</TasksLink>
              </span>
            ),
          },
          { title: 'Since', from: 'lg', when: ({ created_at }) => created_at },
          { title: 'Balance', figure: ({ balance }) => balance },
          { title: 'State', align: 'right', cell: ({ status }) => <StatusBadge status={status} /> },
        ]}
      />
    </Page>
  );
}
