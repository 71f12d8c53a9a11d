import { Form } from '@base-ui/react/form';
import { Link, useNavigate } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../../api/use-api.js';
import { Badge } from '../../../ui/badge.js';
import { Card } from '../../../ui/card.js';
import { Button } from '../../../ui/forms/button.js';
import { Field } from '../../../ui/forms/fields.js';
import { Page } from '../../../ui/page.js';
import { Empty, Load } from '../../../ui/states.js';
import { Table } from '../../../ui/table.js';
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
        <Field label="Show" value={stuck} options={CHOICES} onChange={setStuck} />
        <FindTask />
      </div>
      <Card flush className="pt-3">
        <Load query={query} rows={4}>
          {(tasks) => (
            <Table
              caption="Open tasks"
              rows={tasks}
              getKey={({ id }) => id}
              empty={
                <Empty icon={ListChecks} title={stuck === 'true' ? 'No task is stuck' : 'No task is open'} />
              }
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
                { title: 'Images', from: 'md', figure: ({ stored, asked }) => `${stored} / ${asked}` },
                { title: 'Tries', from: 'lg', figure: ({ tries }) => tries },
                { title: 'Due', from: 'lg', when: ({ due_at }) => due_at },
                { title: 'Deadline', from: 'md', when: ({ deadline_at }) => deadline_at },
                {
                  title: 'Actions',
                  silent: true,
                  align: 'right',
                  cell: ({ id, phase }) => <TaskActions id={id} status="pending" phase={phase} />,
                },
              ]}
            />
          )}
        </Load>
      </Card>
    </Page>
  );
}

function FindTask() {
  const navigate = useNavigate();
  return (
    <Form<{ id: string }>
      onFormSubmit={({ id }) => void navigate({ to: '/operator/tasks/$id', params: { id: id.trim() } })}
      className="flex items-end gap-2"
    >
      <div className="min-w-0 flex-1">
        <Field
          name="id"
          label="Any task by its id"
          required
          pattern="\s*gen_[0-9A-Za-z]+\s*"
          placeholder="gen_…"
        />
      </div>
      <Button type="submit">Open</Button>
    </Form>
  );
}
