import type { QueueItem } from '@image-gateway/shared/system/schema';
import { Badge } from '../../../ui/badge.js';
import { Table } from '../../../ui/table.js';

const SLOW_SECONDS = 30;

/** Table of the waiting and running jobs of each queue. */
export function QueueTable({ queues }: { readonly queues: readonly QueueItem[] }) {
  return (
    <Table
      caption="Queues"
      rows={queues}
      getKey={({ name }) => name}
      columns={[
        { title: 'Queue', cell: ({ name }) => <span className="font-medium">{name}</span> },
        { title: 'Due', figure: ({ due }) => due },
        {
          title: 'Oldest',
          align: 'right',
          cell: ({ oldest_seconds: oldest }) =>
            oldest === null ? (
              <span className="text-muted">–</span>
            ) : (
              <span className={oldest > SLOW_SECONDS ? 'figures text-bad' : 'figures'}>
                {oldest.toLocaleString('en')} s
              </span>
            ),
        },
        { title: 'Running', from: 'sm', figure: ({ running }) => running },
        { title: 'Later', from: 'md', figure: ({ later }) => later },
        { title: 'Hints in Redis', from: 'md', figure: ({ hints }) => hints },
        {
          title: 'Workers',
          align: 'right',
          cell: ({ consumers }) =>
            consumers === null ? (
              <Badge tone="bad">Redis away</Badge>
            ) : (
              <Badge tone={consumers === 0 ? 'bad' : 'good'}>{consumers.toLocaleString('en')}</Badge>
            ),
        },
      ]}
    />
  );
}
