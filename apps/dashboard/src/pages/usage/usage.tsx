import type { UsageView } from '@image-gateway/shared/contract';
import { ChartColumn, Download } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { buildUrl } from '../../api/build-url.js';
import { useGet } from '../../api/use-get.js';
import { Card } from '../../ui/card.js';
import { buttonClass } from '../../ui/forms/button.js';
import { Page } from '../../ui/page.js';
import { Stat } from '../../ui/stat.js';
import { Empty } from '../../ui/states/empty.js';
import { Load } from '../../ui/states/load.js';
import { Loading } from '../../ui/states/loading.js';
import { Stats } from '../../ui/stats.js';
import { Table } from '../../ui/table.js';
import { type Span, UsageSpan } from './usage-span.js';

// The chart library is large; it is loaded with this page only.
const UsageChart = lazy(() => import('./usage-chart.js').then(({ UsageChart }) => ({ default: UsageChart })));
const DAY_MS = 24 * 60 * 60 * 1000;
const formatDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Page of the usage and its cost by day and model, with a download. */
export function Usage() {
  const [span, setSpan] = useState<Span>(() => ({
    from: formatDay(Date.now() - 29 * DAY_MS),
    to: formatDay(Date.now()),
    model: '',
    key: '',
  }));
  const { from, to, model, key } = span;
  const wanted = { from, to, ...(model !== '' && { model }), ...(key !== '' && { api_key_id: key }) };
  const query = useGet({ path: '/usage', query: wanted });
  return (
    <Page
      title="Usage"
      lead="Images and money by day and model. Days are in UTC."
      actions={
        <a href={`/dashboard/api${buildUrl('/usage.csv', {}, wanted)}`} download className={buttonClass()}>
          <Download aria-hidden />
          Export CSV
        </a>
      }
    >
      <UsageSpan span={span} onChange={setSpan} />
      <Load query={query} rows={8}>
        {(usage) => <Content usage={usage} />}
      </Load>
    </Page>
  );
}

function Content({ usage }: { readonly usage: UsageView }) {
  if (usage.days.length === 0) {
    return (
      <Card>
        <Empty icon={ChartColumn} title="No usage in these days">
          Completed tasks are counted on the day on which they ended.
        </Empty>
      </Card>
    );
  }
  return (
    <>
      <Stats label="Usage in these days" columns={3}>
        <Stat
          name="Charged"
          value={usage.charged}
          note={usage.refunded === '$0.00' ? 'nothing given back' : `${usage.refunded} given back`}
        />
        <Stat name="Images" value={usage.units.toLocaleString('en')} />
        <Stat name="Tasks" value={usage.requests.toLocaleString('en')} note="completed" />
      </Stats>
      <Card title="Cost per day">
        <Suspense fallback={<Loading rows={6} className="h-64" />}>
          <UsageChart usage={usage} />
        </Suspense>
      </Card>
      <Card title="By day and model" flush>
        <Table
          caption="Usage by day and model"
          rows={[...usage.days].reverse()}
          getKey={({ day, model }) => `${day} ${model}`}
          columns={[
            {
              title: 'Day',
              cell: ({ day, model }) => (
                <>
                  <span className="figures whitespace-nowrap">{day}</span>
                  <span className="block text-muted text-xs sm:hidden">{model}</span>
                </>
              ),
            },
            { title: 'Model', from: 'sm', cell: ({ model }) => model },
            {
              title: 'Tasks',
              align: 'right',
              from: 'sm',
              cell: ({ requests }) => <span className="figures">{requests.toLocaleString('en')}</span>,
            },
            {
              title: 'Images',
              align: 'right',
              cell: ({ units }) => <span className="figures">{units.toLocaleString('en')}</span>,
            },
            {
              title: 'Cost',
              align: 'right',
              cell: ({ cost }) => <span className="figures font-medium">{cost}</span>,
            },
          ]}
        />
      </Card>
    </>
  );
}
