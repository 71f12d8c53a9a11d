import { Cpu, Inbox } from 'lucide-react';
import { useGet } from '../../../api/use-api.js';
import { Badge, StatusBadge } from '../../../ui/badge.js';
import { Card } from '../../../ui/card.js';
import { ButtonAnchor } from '../../../ui/forms/button.js';
import { Page } from '../../../ui/page.js';
import { Empty, Load } from '../../../ui/states.js';
import { Named, Table } from '../../../ui/table.js';
import { QueueTable } from './queue-table.js';

/** Depth of the queues, the workers that empty them, and the hints in Redis. */
export function Queues() {
  const queues = useGet({ path: '/operator/queues' }, { everyMs: 3_000 });
  const workers = useGet({ path: '/operator/providers' }, { everyMs: 10_000 });
  const hints = useGet({ path: '/operator/hints' }, { everyMs: 3_000 });
  return (
    <Page
      title="Queues"
      lead="The database says what is due; Redis only holds hints, and losing them costs seconds, never a task."
    >
      <Card flush className="pt-3">
        <Load query={queues}>{(items) => <QueueTable queues={items} />}</Load>
      </Card>
      <Card title="Workers" note="Processes that reported in the last hour." flush>
        <Load query={workers}>
          {({ workers: items }) => (
            <Table
              caption="Workers"
              rows={items}
              getKey={({ id }) => id}
              empty={
                <Empty icon={Cpu} title="No worker has reported">
                  Workers report within a few seconds of their start.
                </Empty>
              }
              columns={[
                {
                  title: 'Process',
                  cell: ({ service, host, pid }) => <Named name={service} note={`${host}, process ${pid}`} />,
                },
                { title: 'Since', from: 'md', when: ({ started_at }) => started_at },
                { title: 'Seen', from: 'sm', when: ({ seen_at }) => seen_at },
                {
                  title: 'Calls under way',
                  from: 'md',
                  figure: ({ candidates }) => candidates.reduce((sum, { running }) => sum + running, 0),
                },
                {
                  title: 'State',
                  align: 'right',
                  cell: ({ alive }) => (
                    <Badge tone={alive ? 'good' : 'bad'}>{alive ? 'alive' : 'silent'}</Badge>
                  ),
                },
              ]}
            />
          )}
        </Load>
      </Card>
      <Card
        title="Hints in Redis"
        note="The first fifty of each queue."
        action={
          <ButtonAnchor href="/dashboard/board/" small>
            Open bull-board
          </ButtonAnchor>
        }
        flush
      >
        <Load query={hints}>
          {(items) => (
            <Table
              caption="Hints in Redis"
              rows={items ?? []}
              getKey={({ queue, id }) => `${queue} ${id}`}
              empty={
                <Empty icon={Inbox} title={items === null ? 'Redis is unreachable' : 'The queues are empty'}>
                  {items === null
                    ? 'Workers take what is due straight from the database meanwhile.'
                    : 'A hint is gone as soon as its work has been done.'}
                </Empty>
              }
              columns={[
                { title: 'Hint', cell: ({ queue, id }) => <Named name={queue} id={id} /> },
                { title: 'Added', from: 'sm', when: ({ added_at }) => added_at },
                { title: 'State', align: 'right', cell: ({ state }) => <StatusBadge status={state} /> },
              ]}
            />
          )}
        </Load>
      </Card>
    </Page>
  );
}
