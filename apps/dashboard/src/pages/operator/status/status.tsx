import type { StatusSpan } from '@image-gateway/shared/contract';
import type { StatusView } from '@image-gateway/shared/system/schema';
import { lazy, Suspense, useState } from 'react';
import { useGet } from '../../../api/use-get.js';
import { dollars, roundDollars } from '../../../lib/dollars.js';
import { formatHour, percent, seconds } from '../../../lib/figures.js';
import { Card } from '../../../ui/card.js';
import { SelectField } from '../../../ui/forms/select-field.js';
import { Page } from '../../../ui/page.js';
import { Stat } from '../../../ui/stat.js';
import { Load } from '../../../ui/states/load.js';
import { Loading } from '../../../ui/states/loading.js';
import { Stats } from '../../../ui/stats.js';
import { Table } from '../../../ui/table.js';

// The chart library is large; it is loaded with this page only.
const StatusCharts = lazy(() =>
  import('./status-charts.js').then(({ StatusCharts }) => ({ default: StatusCharts })),
);
const SPANS: readonly (readonly [StatusSpan, string])[] = [
  ['day', 'Last 24 hours'],
  ['week', 'Last 7 days, by hour'],
  ['month', 'Last 31 days'],
];
const money = (text: string): string => roundDollars(dollars(text));
const number = (value: number): string => value.toLocaleString('en');

/** Throughput, waiting time, success by provider and money, over hours and days. */
export function Status() {
  const [span, setSpan] = useState<StatusSpan>('day');
  const query = useGet({ path: '/operator/status', query: { span } }, { everyMs: 60_000 });
  return (
    <Page
      title="Status"
      lead="How the gateway did, by hour or day in UTC. The last one is still running, and some seconds behind."
    >
      <div className="max-w-xs">
        <SelectField label="Span" value={span} options={SPANS} onChange={setSpan} />
      </div>
      <Load query={query} rows={8}>
        {(view) => <Content view={view} />}
      </Load>
    </Page>
  );
}

function Content({ view }: { readonly view: StatusView }) {
  const { whole } = view;
  const active = view.points.filter(
    ({ completed, failed, cost }) => completed + failed > 0 || cost !== '$0.00',
  );
  return (
    <>
      <Stats label="The whole span">
        <Stat
          name="Tasks"
          value={number(whole.completed + whole.failed)}
          note={`${percent(whole.failed, whole.completed + whole.failed)} failed, ${number(whole.images)} images`}
        />
        <Stat
          name="Wait"
          value={seconds(whole.wait_p50_ms)}
          note={`median; 95 % within ${seconds(whole.wait_p95_ms)}`}
        />
        <Stat
          name="To the end"
          value={seconds(whole.total_p50_ms)}
          note={`median; 95 % within ${seconds(whole.total_p95_ms)}`}
        />
        <Stat
          name="Margin"
          value={money(whole.margin)}
          note={`${money(whole.charged)} charged, ${money(whole.cost)} upstream`}
        />
      </Stats>
      <Suspense fallback={<Loading rows={6} className="h-64" />}>
        <StatusCharts view={view} />
      </Suspense>
      <Card
        title={view.unit === 'hour' ? 'By hour' : 'By day'}
        note={`Each ${view.unit} with work, the newest first. Times are estimates, money is rounded.`}
        flush
      >
        <Table
          caption={`Figures of each ${view.unit}`}
          rows={[...active].reverse()}
          getKey={({ at }) => at}
          columns={[
            {
              title: view.unit === 'hour' ? 'Hour' : 'Day',
              cell: ({ at }) => (
                <span className="figures whitespace-nowrap">
                  {view.unit === 'hour' ? formatHour(at).replace(' UTC', '') : at.slice(5, 10)}
                </span>
              ),
            },
            {
              title: 'Completed',
              align: 'right',
              cell: ({ completed }) => <span className="figures">{number(completed)}</span>,
            },
            {
              title: 'Failed',
              align: 'right',
              cell: ({ failed }) => <span className="figures">{number(failed)}</span>,
            },
            {
              title: 'Wait',
              align: 'right',
              from: 'sm',
              cell: ({ wait_p50_ms }) => <span className="figures">{seconds(wait_p50_ms)}</span>,
            },
            {
              title: 'Wait 95 %',
              align: 'right',
              from: 'md',
              cell: ({ wait_p95_ms }) => <span className="figures">{seconds(wait_p95_ms)}</span>,
            },
            {
              title: 'To the end',
              align: 'right',
              from: 'lg',
              cell: ({ total_p50_ms }) => <span className="figures">{seconds(total_p50_ms)}</span>,
            },
            {
              title: 'Refunded',
              align: 'right',
              from: 'lg',
              cell: ({ refunded }) => <span className="figures">{money(refunded)}</span>,
            },
            {
              title: 'Upstream',
              align: 'right',
              from: 'md',
              cell: ({ cost }) => <span className="figures">{money(cost)}</span>,
            },
            {
              title: 'Charged',
              align: 'right',
              cell: ({ charged }) => <span className="figures font-medium">{money(charged)}</span>,
            },
          ]}
        />
      </Card>
    </>
  );
}
