import type { ProvidersView } from '@image-gateway/shared/provider/schema';
import { ChartColumn } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../../api/use-get.js';
import { formatHour, percent, seconds } from '../../../lib/figures.js';
import { Card } from '../../../ui/card.js';
import { SelectField } from '../../../ui/forms/select-field.js';
import { Page } from '../../../ui/page.js';
import { Stat } from '../../../ui/stat.js';
import { Empty } from '../../../ui/states/empty.js';
import { Load } from '../../../ui/states/load.js';
import { Stats } from '../../../ui/stats.js';
import { Table } from '../../../ui/table.js';
import { Needs } from '../needs/needs.js';
import { CandidateTable } from './candidate-table.js';
import { LimitTable } from './limit-table.js';
import { ModeratedTable } from './moderated-table.js';

const HOURS = { '1': 1, '24': 24, '168': 168 } as const;
const SPANS = [
  ['1', 'Last hour'],
  ['24', 'Last 24 hours'],
  ['168', 'Last 7 days'],
] as const;

/** How the upstream providers do: calls, errors, latency, cost and margin, and their circuits. */
export function Providers() {
  const [hours, setHours] = useState<keyof typeof HOURS>('24');
  const query = useGet({ path: '/operator/providers', query: { hours: HOURS[hours] } }, { everyMs: 10_000 });
  return (
    <Page title="Providers" lead="What upstream calls came to, and how the workers see each candidate now.">
      <Needs shows="providers" />
      <div className="max-w-xs">
        <SelectField label="Span" value={hours} options={SPANS} onChange={setHours} />
      </div>
      <Load query={query} rows={6}>
        {(view) => <Content view={view} />}
      </Load>
    </Page>
  );
}

function Content({ view }: { readonly view: ProvidersView }) {
  return (
    <>
      <Stats label="Money in this span" columns={3}>
        <Stat name="Charged" value={view.revenue} note="to customers" />
        <Stat name="Upstream cost" value={view.cost} note="open and unknown calls at list price" />
        <Stat name="Margin" value={view.margin} />
      </Stats>
      <Card
        title="Calls"
        note={<>Since {formatHour(view.since)}, some seconds behind. Times are estimates.</>}
        flush
      >
        {view.providers.length === 0 ? (
          <Empty icon={ChartColumn} title="No calls in this span">
            Every call to a provider is written down before it is made.
          </Empty>
        ) : (
          <Table
            caption="Calls by provider"
            rows={view.providers}
            getKey={({ provider }) => provider}
            columns={[
              { title: 'Provider', cell: ({ provider }) => <span className="font-medium">{provider}</span> },
              {
                title: 'Calls',
                align: 'right',
                // The sums of a busy day take its room on a phone.
                from: 'sm',
                cell: ({ calls }) => <span className="figures">{calls.toLocaleString('en')}</span>,
              },
              {
                title: 'Succeeded',
                align: 'right',
                cell: ({ succeeded, calls, open }) => (
                  <span className="figures">{percent(succeeded, calls - open)}</span>
                ),
              },
              {
                title: 'Failed',
                align: 'right',
                from: 'md',
                cell: ({ failed, unknown }) => (
                  <span className="figures">{(failed + unknown).toLocaleString('en')}</span>
                ),
              },
              {
                title: 'Refused',
                align: 'right',
                from: 'lg',
                cell: ({ refused }) => <span className="figures">{refused.toLocaleString('en')}</span>,
              },
              {
                title: 'Limited',
                align: 'right',
                from: 'lg',
                cell: ({ rate_limited }) => (
                  <span className="figures">{rate_limited.toLocaleString('en')}</span>
                ),
              },
              {
                title: 'Median',
                align: 'right',
                from: 'sm',
                cell: ({ p50_ms }) => <span className="figures">{seconds(p50_ms)}</span>,
              },
              {
                title: '95 %',
                align: 'right',
                from: 'md',
                cell: ({ p95_ms }) => <span className="figures">{seconds(p95_ms)}</span>,
              },
              { title: 'Cost', align: 'right', cell: ({ cost }) => <span className="figures">{cost}</span> },
            ]}
          />
        )}
      </Card>
      {view.limits.length > 0 && <LimitTable limits={view.limits} />}
      {view.moderated.length > 0 && <ModeratedTable accounts={view.moderated} />}
      <CandidateTable workers={view.workers} />
    </>
  );
}
