import type { OverviewView, SpendDay } from '@image-gateway/shared/usage/schema';
import { Link } from '@tanstack/react-router';
import { Images } from 'lucide-react';
import { useGet } from '../../api/use-get.js';
import { dollars } from '../../lib/dollars.js';
import { Card } from '../../ui/card.js';
import { buttonClass } from '../../ui/forms/button.js';
import { Page } from '../../ui/page.js';
import { Stat } from '../../ui/stat.js';
import { Empty } from '../../ui/states/empty.js';
import { Load } from '../../ui/states/load.js';
import { Notice } from '../../ui/states/notice.js';
import { Stats } from '../../ui/stats.js';
import { TaskRow } from '../tasks/task-row.js';
import { EmptyBalance } from './empty-balance.js';
import { FirstSteps } from './first-steps.js';

const HEIGHT = 96;

/** Bar chart by day, as plain SVG, since a chart library would slow down the first page. */
function DailyChart({ days }: { readonly days: readonly SpendDay[] }) {
  const most = Math.max(...days.map(({ cost }) => dollars(cost)), 0.000001);
  const best = days.reduce(
    (a, b) => (dollars(b.cost) > dollars(a.cost) ? b : a),
    days[0] ?? { day: '', cost: '$0.00', units: 0 },
  );
  return (
    <figure>
      <svg
        role="img"
        aria-label={`Spend of the last ${days.length} days; most on ${best.day}: ${best.cost}.`}
        viewBox={`0 0 ${days.length * 10} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-24 w-full"
      >
        {days.map(({ day, cost, units }, index) => {
          const height = dollars(cost) === 0 ? 1.5 : Math.max(3, (dollars(cost) / most) * (HEIGHT - 2));
          return (
            <rect
              key={day}
              x={index * 10 + 1.5}
              y={HEIGHT - height}
              width={7}
              height={height}
              className={units === 0 ? 'fill-line' : 'fill-accent-bright'}
            >
              <title>{`${day}: ${cost}, ${units} ${units === 1 ? 'image' : 'images'}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="figures mt-2 flex justify-between text-muted text-xs">
        <span>{days[0]?.day}</span>
        <span>{days.at(-1)?.day}</span>
      </figcaption>
    </figure>
  );
}

/** The first page of an owner: money, thirty days, the last tasks. */
export function Overview() {
  const query = useGet({ path: '/overview' }, { everyMs: 10_000 });
  return (
    <Page
      title="Overview"
      lead="Your account at a glance."
      actions={
        <Link to="/playground" className={buttonClass('primary')}>
          Try a prompt
        </Link>
      }
    >
      <Load query={query} rows={8}>
        {(view) => <Content view={view} />}
      </Load>
    </Page>
  );
}

function Content({ view }: { readonly view: OverviewView }) {
  const ended = view.completed + view.failed;
  const rate = ended === 0 ? '–' : `${((100 * view.completed) / ended).toFixed(view.failed === 0 ? 0 : 1)} %`;
  return (
    <>
      {view.balance === '$0.00' && <EmptyBalance />}
      {view.available === '$0.00' && view.balance !== '$0.00' && (
        <Notice kind="info">All of the balance is held for open tasks.</Notice>
      )}
      <Stats label="Money and success">
        <Stat name="Balance" value={view.balance} note={`${view.available} available`} />
        <Stat
          name="Held"
          value={view.held}
          note={view.open_tasks === 1 ? 'for 1 open task' : `for ${view.open_tasks} open tasks`}
        />
        <Stat name="Spent" value={view.spent} note="last 30 days" />
        <Stat name="Success" value={rate} note={`${ended.toLocaleString('en')} ended, last 30 days`} />
      </Stats>
      {view.last_tasks.length === 0 && <FirstSteps hasKey={view.active_keys > 0} />}
      <Card title="Spend per day" note="Dollars charged, days in UTC">
        <DailyChart days={view.days} />
      </Card>
      <Card
        title="Last tasks"
        flush
        action={
          view.last_tasks.length > 0 && (
            <Link to="/tasks" className="font-medium text-sm underline underline-offset-4">
              All tasks
            </Link>
          )
        }
      >
        {view.last_tasks.length === 0 ? (
          <Empty icon={Images} title="No tasks yet">
            Images that you generate here or through the API appear here.
          </Empty>
        ) : (
          <ul>
            {view.last_tasks.map((task) => (
              <li key={task.id} className="border-line border-b last:border-0">
                <TaskRow task={task} />
              </li>
            ))}
          </ul>
        )}
      </Card>
    </>
  );
}
