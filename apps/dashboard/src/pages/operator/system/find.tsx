import type { FoundItem } from '@image-gateway/shared/system/schema';
import { Link, useSearch } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useGet } from '../../../api/use-api.js';
import { Card } from '../../../ui/card.js';
import { ButtonLink } from '../../../ui/forms/button.js';
import { AccountLink } from '../../../ui/links.js';
import { Page } from '../../../ui/page.js';
import { Empty, Load } from '../../../ui/states.js';
import { Table } from '../../../ui/table.js';

/** Page with everything that has the id for which an operator looks. */
export function Find() {
  const { q = '' } = useSearch({ from: '/operator/search' });
  const query = useGet({ path: '/operator/search', query: { q } });
  return (
    <Page
      title="Search"
      lead={
        q === '' ? (
          'Type an id, a key, a reference or an address into the box.'
        ) : (
          <>
            For <span className="break-all font-mono text-sm">{q}</span>
          </>
        )
      }
    >
      <Card flush className="pt-3">
        <Load query={query}>
          {({ items, looked }) => (
            <Table
              caption="What was found"
              rows={items}
              getKey={({ kind, id, task_id }) => `${kind} ${id} ${task_id}`}
              empty={<Nothing text={q} looked={looked} />}
              columns={[
                {
                  title: 'What',
                  cell: (item) => (
                    <Target item={item}>
                      <span className="block font-medium first-letter:uppercase">{item.kind}</span>
                      <span className="block break-all font-mono text-xs underline underline-offset-4">
                        {item.id}
                      </span>
                    </Target>
                  ),
                },
                {
                  title: 'State',
                  from: 'sm',
                  cell: ({ note }) => <span className="[overflow-wrap:anywhere]">{note}</span>,
                },
                {
                  title: 'Account',
                  cell: ({ account_id, email }) =>
                    account_id === null || email === null ? (
                      <span className="text-muted">Operators</span>
                    ) : (
                      <AccountLink id={account_id}>{email}</AccountLink>
                    ),
                },
              ]}
            />
          )}
        </Load>
      </Card>
    </Page>
  );
}

/** Link to the page of what was found. */
function Target({ item, children }: { readonly item: FoundItem; readonly children: ReactNode }) {
  const { kind, id, account_id, task_id } = item;
  if (task_id !== null) {
    return (
      <Link to="/operator/tasks/$id" params={{ id: task_id }} className="block">
        {children}
      </Link>
    );
  }
  if (account_id !== null) {
    return (
      <Link to="/operator/accounts/$id" params={{ id: account_id }} className="block">
        {children}
      </Link>
    );
  }
  return (
    <Link
      to={kind === 'event' || kind === 'endpoint' ? '/operator/events' : '/operator/audit'}
      className="block"
      title={id}
    >
      {children}
    </Link>
  );
}

const OLDER = 'The log finds an older one by its account and a span.';

function Nothing({ text, looked }: Readonly<{ text: string; looked: number | null }>) {
  return (
    <Empty
      icon={SearchX}
      title="Nothing has this id"
      action={
        text !== '' && (
          <ButtonLink to="/operator/tasks" search={{ request: text }}>
            Look in the log of tasks
          </ButtonLink>
        )
      }
    >
      {looked === null
        ? 'Ids are compared whole, addresses by a part of three characters or more, keys by their first twelve.'
        : `Request ids were compared with the newest ${looked.toLocaleString('en')} tasks. ${OLDER}`}
    </Empty>
  );
}
