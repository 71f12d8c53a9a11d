import type { OpenTaskItem } from '@image-gateway/shared/task/schema';
import { Link, useNavigate } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useGet } from '../../../api/use-get.js';
import { Badge } from '../../../ui/badge.js';
import { Card } from '../../../ui/card.js';
import { Button } from '../../../ui/forms/button.js';
import { SelectField } from '../../../ui/forms/select-field.js';
import { TextField } from '../../../ui/forms/text-field.js';
import { Page } from '../../../ui/page.js';
import { Empty } from '../../../ui/states/empty.js';
import { Load } from '../../../ui/states/load.js';
import { Table } from '../../../ui/table.js';
import { Time } from '../../../ui/time.js';
import { TaskActions } from './task-actions.js';

const CHOICES = [
  ['true', 'Stuck ones'],
  ['false', 'All open ones'],
] as const;

/** Tasks that are open, above all those that should have moved on. */
export function OpenTasks() {
  const [stuck, setStuck] = useState('true');
  const query = useGet({ path: '/operator/tasks', query: { stuck: stuck === 'true' } }, { everyMs: 5_000 });
  return (
    <Page
      title="Tasks"
      lead="A task is stuck when it is overdue, out of its lease, or about to reach its deadline. Workers mend most of that by themselves."
    >
      <div className="grid items-end gap-4 sm:grid-cols-2">
        <SelectField label="Show" value={stuck} options={CHOICES} onChange={setStuck} />
        <FindTask />
      </div>
      <Card flush className="pt-3">
        <Load query={query} rows={4}>
          {(tasks) =>
            tasks.length === 0 ? (
              <Empty icon={ListChecks} title={stuck === 'true' ? 'No task is stuck' : 'No task is open'} />
            ) : (
              <OpenTaskTable tasks={tasks} />
            )
          }
        </Load>
      </Card>
    </Page>
  );
}

function OpenTaskTable({ tasks }: { readonly tasks: readonly OpenTaskItem[] }) {
  return (
    <Table
      caption="Open tasks"
      rows={tasks}
      getKey={({ id }) => id}
      columns={[
        {
          title: 'Task',
          cell: ({ id, email, model }) => (
            <Link to="/operator/tasks/$id" params={{ id }} className="group block">
              <span className="break-all font-mono text-xs underline-offset-4 group-hover:underline">
                {id}
              </span>
              <span className="block text-muted text-xs [overflow-wrap:anywhere]">
                {model} · {email}
              </span>
            </Link>
          ),
        },
        {
          title: 'State',
          from: 'sm',
          cell: ({ phase, is_stuck }) => (
            <Badge tone={is_stuck ? 'bad' : 'wait'}>{is_stuck ? `${phase}, stuck` : phase}</Badge>
          ),
        },
        {
          title: 'Images',
          align: 'right',
          from: 'md',
          cell: ({ stored, asked }) => (
            <span className="figures">
              {stored} / {asked}
            </span>
          ),
        },
        {
          title: 'Tries',
          align: 'right',
          from: 'lg',
          cell: ({ tries }) => <span className="figures">{tries}</span>,
        },
        { title: 'Due', from: 'lg', cell: ({ due_at }) => <Time iso={due_at} /> },
        { title: 'Deadline', from: 'md', cell: ({ deadline_at }) => <Time iso={deadline_at} /> },
        {
          title: 'Actions',
          silent: true,
          align: 'right',
          cell: ({ id, phase }) => <TaskActions id={id} status="pending" phase={phase} />,
        },
      ]}
    />
  );
}

function FindTask() {
  const [id, setId] = useState('');
  const navigate = useNavigate();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void navigate({ to: '/operator/tasks/$id', params: { id: id.trim() } });
  };
  return (
    <form onSubmit={submit} className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <TextField
          label="Any task by its id"
          required
          pattern="\s*gen_[0-9A-Za-z]+\s*"
          placeholder="gen_…"
          value={id}
          onChange={(event) => setId(event.target.value)}
        />
      </div>
      <Button type="submit">Open</Button>
    </form>
  );
}
