import type { WorkerItem } from '@image-gateway/shared/provider/schema';
import { Cpu } from 'lucide-react';
import { Badge } from '../../../ui/badge.js';
import { Empty } from '../../../ui/states/empty.js';
import { Table } from '../../../ui/table.js';
import { Time } from '../../../ui/time.js';

/** The worker processes that reported lately. */
export function WorkerTable({ workers }: { readonly workers: readonly WorkerItem[] }) {
  if (workers.length === 0) {
    return (
      <Empty icon={Cpu} title="No worker has reported">
        Workers report within a few seconds of their start.
      </Empty>
    );
  }
  return (
    <Table
      caption="Workers"
      rows={workers}
      getKey={({ id }) => id}
      columns={[
        {
          title: 'Process',
          cell: ({ service, host, pid }) => (
            <>
              <span className="font-medium">{service}</span>
              <span className="block break-all text-muted text-xs">
                {host}, process {pid}
              </span>
            </>
          ),
        },
        { title: 'Since', from: 'md', cell: ({ started_at }) => <Time iso={started_at} /> },
        { title: 'Seen', from: 'sm', cell: ({ seen_at }) => <Time iso={seen_at} /> },
        {
          title: 'Calls under way',
          align: 'right',
          from: 'md',
          cell: ({ candidates }) => (
            <span className="figures">{candidates.reduce((sum, { running }) => sum + running, 0)}</span>
          ),
        },
        {
          title: 'State',
          align: 'right',
          cell: ({ alive }) => <Badge tone={alive ? 'good' : 'bad'}>{alive ? 'alive' : 'silent'}</Badge>,
        },
      ]}
    />
  );
}
