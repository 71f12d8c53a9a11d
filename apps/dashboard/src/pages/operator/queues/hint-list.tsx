import { Inbox } from 'lucide-react';
import { useGet } from '../../../api/use-get.js';
import { Card } from '../../../ui/card.js';
import { buttonClass } from '../../../ui/forms/button.js';
import { Empty } from '../../../ui/states/empty.js';
import { Load } from '../../../ui/states/load.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import { Table } from '../../../ui/table.js';
import { Time } from '../../../ui/time.js';

/** First hints in the queues of Redis, read-only. */
export function HintList() {
  const query = useGet({ path: '/operator/hints' }, { everyMs: 3_000 });
  return (
    <Card
      title="Hints in Redis"
      note="The first fifty of each queue."
      action={
        <a href="/dashboard/board/" className={buttonClass('plain', true)}>
          Open bull-board
        </a>
      }
      flush
    >
      <Load query={query}>
        {(hints) =>
          hints === null || hints.length === 0 ? (
            <Empty icon={Inbox} title={hints === null ? 'Redis is unreachable' : 'The queues are empty'}>
              {hints === null
                ? 'Workers take what is due straight from the database meanwhile.'
                : 'A hint is gone as soon as its work has been done.'}
            </Empty>
          ) : (
            <Table
              caption="Hints in Redis"
              rows={hints}
              getKey={({ queue, id }) => `${queue} ${id}`}
              columns={[
                {
                  title: 'Hint',
                  cell: ({ queue, id }) => (
                    <>
                      <span className="font-medium">{queue}</span>
                      <span className="block break-all font-mono text-muted text-xs">{id}</span>
                    </>
                  ),
                },
                { title: 'Added', from: 'sm', cell: ({ added_at }) => <Time iso={added_at} /> },
                { title: 'State', align: 'right', cell: ({ state }) => <StatusBadge status={state} /> },
              ]}
            />
          )
        }
      </Load>
    </Card>
  );
}
