import type { QueueItem } from '@image-gateway/shared/system/schema';
import { Badge } from '../../../ui/badge.js';
import { Table } from '../../../ui/table.js';

const SLOW_SECONDS = 30;

/** Table of the waiting and running jobs of each queue. */
export function QueueTable({ queues }: { readonly queues: readonly QueueItem[] }) {
  const figure = (value: number | null): string => value?.toLocaleString('en') ?? '–';
  return (
    <Table
      caption="Queues"
      rows={queues}
      getKey={({ name }) => name}
      columns={[
        { title: 'Queue', cell: ({ name }) => <span className="font-medium">{name}</span> },
        { title: 'Due', align: 'right', cell: ({ due }) => <span className="figures">{figure(due)}</span> },
        {
          title: 'Oldest',
          align: 'right',
          cell: ({ oldest_seconds: oldest }) =>
            oldest === null ? (
              <span className="text-muted">–</span>
            ) : (
              <span className={oldest > SLOW_SECONDS ? 'figures text-bad' : 'figures'}>
                {figure(oldest)} s
              </span>
            ),
        },
        {
          title: 'Running',
          align: 'right',
          from: 'sm',
          cell: ({ running }) => <span className="figures">{figure(running)}</span>,
        },
        {
          title: 'Later',
          align: 'right',
          from: 'md',
          cell: ({ later }) => <span className="figures">{figure(later)}</span>,
        },
        {
          title: 'Hints in Redis',
          align: 'right',
          from: 'md',
          cell: ({ hints }) => <span className="figures">{figure(hints)}</span>,
        },
        {
          title: 'Workers',
          align: 'right',
          cell: ({ consumers }) =>
            consumers === null ? (
              <Badge tone="bad">Redis away</Badge>
            ) : (
              <Badge tone={consumers === 0 ? 'bad' : 'good'}>{figure(consumers)}</Badge>
            ),
        },
      ]}
    />
  );
}
