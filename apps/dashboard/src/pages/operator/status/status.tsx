import type { StatusSpan } from '@image-gateway/shared/contract';
import type { StatusView } from '@image-gateway/shared/system/schema';
import { useState } from 'react';
import { useGet } from '../../../api/use-api.js';
import { dollars, percent, roundDollars, seconds } from '../../../lib/figures.js';
import { formatDay, formatHour } from '../../../lib/times.js';
import { Field } from '../../../ui/forms/fields.js';
import { TasksLink } from '../../../ui/links.js';
import { Page } from '../../../ui/page.js';
import { Load } from '../../../ui/states.js';
import { Stat, Stats } from '../../../ui/stats.js';
import { TableCard } from '../../../ui/table.js';
import { StatusCharts } from './status-charts.js';

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
        <Field label="Span" value={span} options={SPANS} onChange={setSpan} />
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
          note={`${money(whole.charged)} charged${tellSandbox(whole.sandbox)}, ${money(whole.cost)} upstream`}
        />
      </Stats>
      <StatusCharts view={view} />
      <TableCard
        title={view.unit === 'hour' ? 'By hour' : 'By day'}
        note={`Each ${view.unit} with work, the newest first. Times are estimates, money is rounded.`}
        caption={`Figures of each ${view.unit}`}
        rows={[...active].reverse()}
        getKey={({ at }) => at}
        columns={[
          {
            title: view.unit === 'hour' ? 'Hour' : 'Day',
            cell: ({ at }) => (
              <span className="figures sm:whitespace-nowrap">
                {view.unit === 'hour' ? formatHour(at) : formatDay(at)}
              </span>
            ),
          },
          {
            title: 'Completed',
            align: 'right',
            cell: ({ at, completed }) => <Tasks view={view} at={at} status="completed" count={completed} />,
          },
          {
            title: 'Failed',
            align: 'right',
            cell: ({ at, failed }) => <Tasks view={view} at={at} status="failed" count={failed} />,
          },
          { title: 'Wait', from: 'sm', figure: ({ wait_p50_ms }) => seconds(wait_p50_ms) },
          { title: 'Wait 95 %', from: 'md', figure: ({ wait_p95_ms }) => seconds(wait_p95_ms) },
          { title: 'To the end', from: 'lg', figure: ({ total_p50_ms }) => seconds(total_p50_ms) },
          { title: 'Refunded', from: 'lg', figure: ({ refunded }) => money(refunded) },
          { title: 'Upstream', from: 'md', figure: ({ cost }) => money(cost) },
          { title: 'Charged', amount: ({ charged }) => money(charged) },
        ]}
      />
    </>
  );
}

const UNIT_MS = { hour: 3_600_000, day: 86_400_000 } as const;

/** Number of the tasks of an hour or day, which leads to them. */
function Tasks({
  view: { unit },
  at,
  status,
  count,
}: {
  readonly view: Pick<StatusView, 'unit'>;
  readonly at: string;
  readonly status: 'completed' | 'failed';
  readonly count: number;
}) {
  const to = new Date(Date.parse(at) + UNIT_MS[unit]).toISOString();
  return (
    <span className="figures">
      <TasksLink search={{ status, from: at.slice(0, 16), to: to.slice(0, 16) }}>{number(count)}</TasksLink>
    </span>
  );
}

/** Says which part of the sales is test images, which are no margin. */
const tellSandbox = (amount: string): string =>
  amount === '$0.00' ? '' : ` (${money(amount)} of it for sandbox images)`;
