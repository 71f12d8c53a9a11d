import type { WorkerItem } from '@image-gateway/shared/provider/schema';
import { CircuitBoard } from 'lucide-react';
import { useSend } from '../../../api/use-send.js';
import { Badge, type Tone } from '../../../ui/badge.js';
import { Card } from '../../../ui/card.js';
import { Button } from '../../../ui/forms/button.js';
import { Empty } from '../../../ui/states/empty.js';
import { ErrorNotice } from '../../../ui/states/error-notice.js';
import { Table } from '../../../ui/table.js';

const TONES: Readonly<Record<string, Tone>> = { closed: 'good', 'half-open': 'warm', open: 'bad' };

/** How each living worker sees the candidates: circuit, rests, calls under way. */
export function CandidateTable({ workers }: { readonly workers: readonly WorkerItem[] }) {
  const { mutate, isPending, error } = useSend('/operator/models/providers/:name/resume', ['operator']);
  const rows = workers
    .filter(({ alive }) => alive)
    .flatMap(({ id, pid, candidates }) => candidates.map((candidate) => ({ ...candidate, worker: id, pid })));
  return (
    <Card
      title="Circuits"
      note="A closed circuit lets calls through, except those of accounts whose own calls fail."
      flush
    >
      {rows.length === 0 ? (
        <Empty icon={CircuitBoard} title="No circuits yet">
          A generation worker reports that of a candidate within seconds of its first call.
        </Empty>
      ) : (
        <Table
          caption="Circuits"
          rows={rows}
          getKey={({ worker, provider, model }) => `${worker} ${provider} ${model}`}
          columns={[
            {
              title: 'Candidate',
              cell: ({ provider, model }) => (
                <>
                  <span className="font-medium">{provider}</span>
                  <span className="block break-all text-muted text-xs">{model}</span>
                </>
              ),
            },
            {
              title: 'Worker',
              from: 'md',
              cell: ({ pid }) => <span className="figures">process {pid}</span>,
            },
            {
              title: 'Running',
              align: 'right',
              from: 'sm',
              cell: ({ running }) => <span className="figures">{running}</span>,
            },
            {
              title: 'Rest',
              align: 'right',
              from: 'sm',
              cell: ({ paused_until, paused_because, set_aside }) =>
                set_aside ? (
                  'tried last'
                ) : paused_until === null ? (
                  <span className="text-muted">–</span>
                ) : (
                  `paused until ${new Date(paused_until).toLocaleTimeString('en')} because of: ${paused_because}`
                ),
            },
            {
              title: 'Circuit',
              align: 'right',
              cell: ({ circuit, accounts_paused }) => (
                <>
                  <Badge tone={TONES[circuit] ?? 'none'}>{circuit}</Badge>
                  {accounts_paused > 0 && (
                    <span className="block text-muted text-xs">accounts paused: {accounts_paused}</span>
                  )}
                </>
              ),
            },
            {
              title: 'Calls',
              align: 'right',
              cell: ({ provider, held_back }) =>
                held_back && (
                  <Button disabled={isPending} onClick={() => mutate({ params: { name: provider } })}>
                    Resume
                  </Button>
                ),
            },
          ]}
        />
      )}
      {error && <ErrorNotice error={error} />}
    </Card>
  );
}
