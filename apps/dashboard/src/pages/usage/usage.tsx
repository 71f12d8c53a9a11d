import { ChartColumn, Download } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { buildUrl } from '../../api/request.js';
import { useGet } from '../../api/use-api.js';
import { readEntry } from '../../lib/search.js';
import { Card } from '../../ui/card.js';
import { ButtonAnchor } from '../../ui/forms/button.js';
import { Page } from '../../ui/page.js';
import { Empty, Load, Loading } from '../../ui/states.js';
import { Stat, Stats } from '../../ui/stats.js';
import { type GroupBy, getGroupBy, nameGroups, UsageGroups, type UsageGroupsProps } from './usage-groups.js';
import { lastDays, type Span, UsageSpan } from './usage-span.js';

// The chart library is large; it is loaded with this page only.
const UsageChart = lazy(() => import('./usage-chart.js').then(({ UsageChart }) => ({ default: UsageChart })));
const FILES = [
  ['/usage.csv', 'CSV'],
  ['/usage.ndjson', 'NDJSON'],
] as const;

/** Page of the usage and its cost by day and model and by groups, with downloads. */
export function Usage() {
  const [span, setSpan] = useState<Span>(() => ({ ...lastDays(30), model: '', key: '', entry: '' }));
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
        <ButtonAnchor key={path} href={`/dashboard/api${buildUrl(path, {}, wanted)}`} download>
          <Download aria-hidden />
          Export {name}
        </ButtonAnchor>
      ))}
    >
      <UsageSpan span={span} onChange={setSpan} />
      <Load query={query} rows={8}>
        {(usage) => (
          <Content
            usage={usage}
            groupBy={groupBy}
            onChange={setGroupBy}
            metadataKey={metadataKey}
            onMetadataKey={setMetadataKey}
          />
        )}
      </Load>
    </Page>
  );
}

function Content(groups: UsageGroupsProps) {
  const { usage } = groups;
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
      <UsageGroups {...groups} />
    </>
  );
}
