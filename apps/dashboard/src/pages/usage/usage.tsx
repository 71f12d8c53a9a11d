import { ChartColumn, Download } from 'lucide-react';
import { useState } from 'react';
import { buildUrl } from '../../api/request.js';
import { useGet } from '../../api/use-api.js';
import { readEntry } from '../../lib/search.js';
import { Card } from '../../ui/card.js';
import { ButtonAnchor } from '../../ui/forms/button.js';
import { Page } from '../../ui/page.js';
import { Empty, Load } from '../../ui/states.js';
import { Stat, Stats } from '../../ui/stats.js';
import { UsageChart } from './usage-chart.js';
import { type GroupBy, getGroupBy, nameGroups, UsageGroups, type UsageGroupsProps } from './usage-groups.js';
import { lastDays, type Span, UsageSpan } from './usage-span.js';

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
      lead="Images and money by hour, day, key, model, quality and metadata. Days and hours are those of UTC."
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
      <Stats label="Usage in these days">
        <Stat name="Charged" value={usage.charged} note="for delivered images" />
        <Stat name="Given back" value={usage.refunded} note="in these days" />
        <Stat name="Net" value={usage.net} note="charged less given back" />
        <Stat
          name="Images"
          value={usage.units.toLocaleString('en')}
          note={`of ${usage.requests.toLocaleString('en')} completed ${usage.requests === 1 ? 'task' : 'tasks'}`}
        />
      </Stats>
      <Card title="Cost per day" note="Days in UTC">
        <UsageChart usage={usage} />
      </Card>
      <UsageGroups {...groups} />
    </>
  );
}
