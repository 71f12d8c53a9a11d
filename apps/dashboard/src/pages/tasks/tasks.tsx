import { useNavigate, useSearch } from '@tanstack/react-router';
import { useGet } from '../../api/use-api.js';
import { readEntry, type TaskSearch } from '../../lib/search.js';
import { Card } from '../../ui/card.js';
import { Page } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { Load } from '../../ui/states.js';
import { NoTasks, TaskFilters, useTaskFields } from './task-filters.js';
import { TaskList } from './task-row.js';

const STATUSES = [
  ['', 'All'],
  ['pending', 'Pending'],
  ['completed', 'Completed'],
  ['failed', 'Failed'],
] as const;

/** Tasks of the account, newest first; the filters are part of the address. */
export function Tasks() {
  const search: TaskSearch = useSearch({ from: '/tasks' });
  const navigate = useNavigate();
  const choose = (change: Readonly<Record<string, unknown>>): void => {
    void navigate({ to: '/tasks', search: { ...search, page: 1, ...change } as TaskSearch });
  };
  const { entry = '', ...filter } = search;
  const query = useGet({ path: '/tasks', query: { ...filter, ...readEntry(entry) } }, { everyMs: 5_000 });
  const { type, model } = useTaskFields();
  return (
    <Page title="Tasks" lead="All requests, through the API and in the playground.">
      <TaskFilters
        fields={[
          { name: 'status', label: 'Status', options: STATUSES },
          type,
          model,
          { name: 'entry', label: 'Metadata', placeholder: 'user=42' },
        ]}
        values={search}
        onChange={choose}
      />
      <Card flush>
        <Load query={query} rows={6}>
          {({ items, pagination }) => (
            <>
              {items.length === 0 ? (
                <NoTasks of="task" isFiltered={Object.keys(search).some((name) => name !== 'page')} />
              ) : (
                <TaskList tasks={items} />
              )}
              <Pager pagination={pagination} onPage={(page) => choose({ page })} />
            </>
          )}
        </Load>
      </Card>
    </Page>
  );
}
