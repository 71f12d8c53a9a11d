import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Images } from 'lucide-react';
import { useGet } from '../../api/use-get.js';
import { readEntry } from '../../lib/read-entry.js';
import { Card } from '../../ui/card.js';
import { buttonClass } from '../../ui/forms/button.js';
import { SelectField } from '../../ui/forms/select-field.js';
import { TextField } from '../../ui/forms/text-field.js';
import { Page } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { Empty } from '../../ui/states/empty.js';
import { Load } from '../../ui/states/load.js';
import { TaskRow } from './task-row.js';
import type { TaskSearch } from './task-search.js';

const STATUSES = [
  ['', 'All'],
  ['pending', 'Pending'],
  ['completed', 'Completed'],
  ['failed', 'Failed'],
] as const;
const TYPES = [
  ['', 'All'],
  ['image_generate', 'Generation'],
  ['image_edit', 'Edit'],
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
  const models = useGet({ path: '/playground' }).data?.models ?? [];
  const isFiltered = [search.status, search.type, search.model, search.entry].some(
    (one) => one !== undefined,
  );
  return (
    <Page title="Tasks" lead="All requests, through the API and in the playground.">
      <div className="grid grid-cols-2 gap-4 sm:max-w-3xl sm:grid-cols-4">
        <SelectField
          label="Status"
          value={search.status ?? ''}
          options={STATUSES}
          onChange={(status) => choose({ status })}
        />
        <SelectField
          label="Type"
          value={search.type ?? ''}
          options={TYPES}
          onChange={(type) => choose({ type })}
        />
        <SelectField
          label="Model"
          value={search.model ?? ''}
          options={[['', 'All'], ...models.map(({ id }) => [id, id] as const)]}
          onChange={(model) => choose({ model })}
        />
        <TextField
          label="Metadata"
          placeholder="user=42"
          value={entry}
          onChange={({ target }) => choose({ entry: target.value })}
        />
      </div>
      <Card flush>
        <Load query={query} rows={6}>
          {({ items, pagination }) => (
            <>
              {items.length === 0 ? (
                <Empty
                  icon={Images}
                  title={isFiltered ? 'No task fits' : 'No tasks yet'}
                  action={
                    <Link to="/playground" className={buttonClass()}>
                      Try a prompt
                    </Link>
                  }
                >
                  {isFiltered
                    ? 'Choose something else above.'
                    : 'The playground makes the first one in a few seconds.'}
                </Empty>
              ) : (
                <ul aria-label="Tasks">
                  {items.map((task) => (
                    <li key={task.id} className="border-line border-b last:border-0">
                      <TaskRow task={task} />
                    </li>
                  ))}
                </ul>
              )}
              <Pager pagination={pagination} onPage={(page) => choose({ page })} />
            </>
          )}
        </Load>
      </Card>
    </Page>
  );
}
