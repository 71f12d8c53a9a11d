import { FAILURE_CLASSES, type FailureClass } from '@image-gateway/shared/contract';
import type { LoggedTask } from '@image-gateway/shared/task/schema';
import { Link } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../../api/use-api.js';
import { readEntry, type TaskLogSearch } from '../../../lib/search.js';
import { StatusBadge } from '../../../ui/badge.js';
import { Card } from '../../../ui/card.js';
import { Button } from '../../../ui/forms/button.js';
import { type FieldSpec, Fields } from '../../../ui/forms/fields.js';
import { AccountLink } from '../../../ui/links.js';
import { PartPager, usePlaces } from '../../../ui/pager.js';
import { Empty, Load } from '../../../ui/states.js';
import { Table } from '../../../ui/table.js';
import { Time } from '../../../ui/time.js';

type Filter = Omit<TaskLogSearch, 'show'>;

/** Words for the classes of failures. */
const FAILURES: Readonly<Record<FailureClass, string>> = {
  moderation: 'Moderation',
  refused_input: 'Input refused',
  upstream: 'Provider failed',
  deadline: 'Not in time',
  canceled: 'Canceled',
  internal: 'Internal error',
  input_image: 'Input image',
  operator: 'By an operator',
};

const FIELDS: readonly FieldSpec<keyof Filter>[] = [
  { name: 'account', label: 'Account', placeholder: 'acc_…' },
  {
    name: 'status',
    label: 'State',
    options: [
      ['', 'All'],
      ['pending', 'Pending'],
      ['completed', 'Completed'],
      ['failed', 'Failed'],
    ],
  },
  {
    name: 'failure',
    label: 'Reason',
    options: [['', 'All'], ...FAILURE_CLASSES.map((name) => [name, FAILURES[name]] as const)],
  },
  { name: 'model', label: 'Model', placeholder: 'nanobanana' },
  { name: 'provider', label: 'Provider', placeholder: 'openai' },
  { name: 'key', label: 'API key', placeholder: 'key_…' },
  { name: 'request', label: 'Request id', placeholder: 'req_… or Idempotency-Key' },
  { name: 'entry', label: 'Metadata', placeholder: 'user=42, of an account' },
  { name: 'from', label: 'From (UTC)', type: 'datetime-local' },
  { name: 'to', label: 'Before (UTC)', type: 'datetime-local' },
];

/** The log of tasks with its filters, which are part of the address. */
export function TaskLog({
  search,
  onChange,
}: {
  readonly search: Filter;
  readonly onChange: (next: Filter) => void;
}) {
  const isFiltered = Object.keys(search).length > 0;
  // The fields of a browser take a time, and a day stands for its midnight.
  const values = { ...search, from: toMoment(search.from), to: toMoment(search.to) };
  return (
    <>
      <div className="grid grid-cols-2 gap-4 sm:grid-cols-3 lg:grid-cols-4">
        <Fields
          fields={FIELDS}
          values={values}
          onChange={(change) => {
            const next = Object.entries({ ...search, ...change }).filter(([, text]) => text !== '');
            onChange(Object.fromEntries(next) as Filter);
          }}
        />
        {isFiltered && (
          <Button className="self-end" onClick={() => onChange({})}>
            Clear filters
          </Button>
        )}
      </div>
      <Log filter={search} isFiltered={isFiltered} />
    </>
  );
}

const isFailureClass = (text: string): text is FailureClass => FAILURE_CLASSES.some((name) => name === text);

const toMoment = (text: string | undefined): string | undefined =>
  text !== undefined && text.length === 10 ? `${text}T00:00` : text;

function Log({ filter, isFiltered }: { readonly filter: Filter; readonly isFiltered: boolean }) {
  const places = usePlaces();
  // A link may change the filter too: the list then begins anew.
  const wanted = JSON.stringify(filter);
  const [shown, setShown] = useState(wanted);
  if (shown !== wanted) {
    setShown(wanted);
    places.reset();
  }
  const { entry = '', ...rest } = filter;
  const query = useGet({
    path: '/operator/task-log',
    query: { ...rest, ...readEntry(entry), before: places.before, per_page: 50 },
  });
  return (
    <Card flush className="pt-3">
      <Load query={query} rows={8}>
        {({ by, items, next, looked }) => (
          <>
            {looked !== null && (
              <p role="status" className="px-5 pb-3 text-muted text-sm sm:px-6">
                Looked at {looked.toLocaleString('en')} tasks;{' '}
                {items.length === 0 ? 'none' : `${items.length}`} of them fit. “Older” goes on from there. An
                account or a span makes it shorter.
              </p>
            )}
            <Table
              caption="Log of tasks"
              rows={items}
              getKey={({ id }) => id}
              empty={
                <Empty icon={ListChecks} title={isFiltered ? 'No task fits' : 'No tasks yet'}>
                  {isFiltered ? 'Change the filters above.' : 'Tasks of all accounts appear here.'}
                </Empty>
              }
              columns={[
                { title: 'Task', cell: (task) => <Subject {...task} /> },
                { title: 'State', cell: (task) => <State {...task} /> },
                { title: 'Provider', from: 'md', cell: ({ provider }) => provider ?? '–' },
                { title: 'Images', from: 'lg', figure: ({ stored, asked }) => `${stored} / ${asked}` },
                {
                  title: by === 'ended' ? 'Ended' : 'Submitted',
                  from: 'sm',
                  when: ({ created_at, ended_at }) =>
                    by === 'ended' ? (ended_at ?? created_at) : created_at,
                },
                { title: 'Cost', from: 'sm', figure: ({ cost }) => cost },
              ]}
            />
            <PartPager places={places} next={next} />
          </>
        )}
      </Load>
    </Card>
  );
}

/** Task and account, each with its link. */
function Subject({ id, account_id, email, model, created_at }: LoggedTask) {
  return (
    <>
      <Link
        to="/operator/tasks/$id"
        params={{ id }}
        className="block break-all font-mono text-xs underline underline-offset-4"
      >
        {id}
      </Link>
      <span className="block text-muted text-xs [overflow-wrap:anywhere]">
        {model} · <AccountLink id={account_id}>{email}</AccountLink>
        <span className="sm:hidden">
          {' '}
          · <Time iso={created_at} />
        </span>
      </span>
    </>
  );
}

function State({ status, phase, failure }: LoggedTask) {
  return (
    <>
      <StatusBadge status={status === 'pending' ? phase : status} />
      {failure !== null && (
        <span className="mt-0.5 block text-muted text-xs">
          {isFailureClass(failure) ? FAILURES[failure] : failure}
        </span>
      )}
    </>
  );
}
