import { useNavigate, useSearch } from '@tanstack/react-router';
import type { TaskLogSearch } from '../../../lib/search.js';
import { Field } from '../../../ui/forms/fields.js';
import { Page } from '../../../ui/page.js';
import { OpenTasks } from './open-tasks.js';
import { TaskLog } from './task-log.js';

const CHOICES = [
  ['', 'Log of all tasks'],
  ['stuck', 'Stuck ones'],
  ['open', 'Open ones by deadline'],
] as const;

const LEADS = {
  log: 'All tasks of all accounts, newest first. Times are in UTC where you type them.',
  open: 'A task is stuck when it is overdue, out of its lease, or about to reach its deadline. Workers mend most of that by themselves.',
};

/** Tasks of all accounts: the log with its filters, or those that are open. The address says which. */
export function OperatorTasks() {
  const search = useSearch({ from: '/operator/tasks' });
  const { show = '' } = search;
  const navigate = useNavigate();
  const choose = (next: TaskLogSearch): void => {
    void navigate({ to: '/operator/tasks', search: next, replace: true });
  };
  return (
    <Page title="Tasks" lead={show === '' ? LEADS.log : LEADS.open}>
      <div className="max-w-xs">
        <Field
          label="Show"
          value={show}
          options={CHOICES}
          onChange={(next) => choose(next === '' ? {} : { show: next })}
        />
      </div>
      {show === '' ? (
        <TaskLog search={search} onChange={choose} />
      ) : (
        <OpenTasks key={show} onlyStuck={show === 'stuck'} />
      )}
    </Page>
  );
}
