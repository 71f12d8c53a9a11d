import type { UsageView } from '@image-gateway/shared/usage/schema';
import { ChartColumn, Download } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { buildUrl } from '../../api/build-url.js';
import { useGet } from '../../api/use-get.js';
import { readEntry } from '../../lib/read-entry.js';
import { Card } from '../../ui/card.js';
import { buttonClass } from '../../ui/forms/button.js';
import { Page } from '../../ui/page.js';
import { Stat } from '../../ui/stat.js';
import { Empty } from '../../ui/states/empty.js';
import { Load } from '../../ui/states/load.js';
import { Loading } from '../../ui/states/loading.js';
import { Stats } from '../../ui/stats.js';
import { type GroupBy, getGroupBy, nameGroups, UsageGroups } from './usage-groups.js';
import { type Span, UsageSpan } from './usage-span.js';

// The chart library is large; it is loaded with this page only.
const UsageChart = lazy(() => import('./usage-chart.js').then(({ UsageChart }) => ({ default: UsageChart })));
const DAY_MS = 24 * 60 * 60 * 1000;
const formatDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

const FILES = [
  ['/usage.csv', 'CSV'],
  ['/usage.ndjson', 'NDJSON'],
] as const;

/** Page of the usage and its cost by day and model and by groups, with downloads. */
export function Usage() {
  const [span, setSpan] = useState<Span>(() => ({
    from: formatDay(Date.now() - 29 * DAY_MS),
    to: formatDay(Date.now()),
    model: '',
    key: '',
    entry: '',
  }));
  const { from, to, model, key, entry } = span;
  const [metadataKey, setMetadataKey] = useState('user');
  const [chosen, setGroupBy] = useState<GroupBy>('day,model');
  const groupBy = getGroupBy(chosen, span);
  const wanted = {
    from,
    to,
    ...(model !== '' && { model }),
    ...(key !== '' && { api_key_id: key }),
    ...readEntry(entry),
  };
  const query = useGet({ path: '/usage', query: { ...wanted, group_by: nameGroups(groupBy, metadataKey) } });
  return (
    <Page
      title="Usage"
      lead="Images and money by hour, day, key, model, quality and metadata. Times are in UTC."
      actions={FILES.map(([path, name]) => (
        <a key={path} href={`/dashboard/api${buildUrl(path, {}, wanted)}`} download className={buttonClass()}>
          <Download aria-hidden />
          Export {name}
        </a>
      ))}
    >
      <UsageSpan span={span} onChange={setSpan} />
      <Load query={query} rows={8}>
        {(usage) => (
          <Content
            usage={usage}
            groupBy={groupBy}
            onGroupBy={setGroupBy}
            metadataKey={metadataKey}
            onMetadataKey={setMetadataKey}
          />
        )}
      </Load>
    </Page>
  );
}

function Content({
  usage,
  groupBy,
  onGroupBy,
  metadataKey,
  onMetadataKey,
}: {
  readonly usage: UsageView;
  readonly groupBy: GroupBy;
  readonly onGroupBy: (groupBy: GroupBy) => void;
  readonly metadataKey: string;
  readonly onMetadataKey: (key: string) => void;
}) {
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
      <UsageGroups
        usage={usage}
        groupBy={groupBy}
        onChange={onGroupBy}
        metadataKey={metadataKey}
        onMetadataKey={onMetadataKey}
      />
    </>
  );
}
