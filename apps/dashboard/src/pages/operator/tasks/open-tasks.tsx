import { Link } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import { useGet } from '../../../api/use-api.js';
import { Badge } from '../../../ui/badge.js';
import { Card } from '../../../ui/card.js';
import { Empty, Load } from '../../../ui/states.js';
import { Table } from '../../../ui/table.js';
import { TaskActions } from './task-actions.js';

/** Tasks that are open, or those of them that should have moved on. */
export function OpenTasks({ onlyStuck }: { readonly onlyStuck: boolean }) {
  const query = useGet({ path: '/operator/tasks', query: { stuck: onlyStuck } }, { everyMs: 5_000 });
  return (
    <Card flush className="pt-3">
      <Load query={query} rows={4}>
        {(tasks) => (
          <Table
            caption="Open tasks"
            rows={tasks}
            getKey={({ id }) => id}
            empty={<Empty icon={ListChecks} title={onlyStuck ? 'No task is stuck' : 'No task is open'} />}
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
                cell: ({ phase, is_stuck, is_canceling }) => (
                  <Badge tone={is_stuck ? 'bad' : 'wait'}>
                    {[phase, is_stuck && 'stuck', is_canceling && 'canceling'].filter(Boolean).join(', ')}
                  </Badge>
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
                cell: (task) => <TaskActions {...task} status="pending" />,
              },
            ]}
          />
        )}
      </Load>
    </Card>
  );
}
