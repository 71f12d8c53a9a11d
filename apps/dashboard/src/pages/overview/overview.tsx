import type { OverviewView, SpendDay } from '@image-gateway/shared/usage/schema';
import { Link } from '@tanstack/react-router';
import { Check, Images } from 'lucide-react';
import { useGet } from '../../api/use-api.js';
import { dollars, formatMoney, writeDollars } from '../../lib/figures.js';
import { formatDay, formatShortDay } from '../../lib/times.js';
import { AskCredit } from '../../ui/ask-credit.js';
import { Card } from '../../ui/card.js';
import { ButtonLink } from '../../ui/forms/button.js';
import { Page } from '../../ui/page.js';
import { Empty, Load, Notice } from '../../ui/states.js';
import { Stat, Stats } from '../../ui/stats.js';
import { TaskList } from '../tasks/task-row.js';

const HEIGHT = 96;

/** Bars of what was charged on each day, as plain SVG: a chart library would slow down the first page. Usage has every number. */
function DailyChart({ days }: { readonly days: readonly SpendDay[] }) {
  const best = days.reduce(
    (one, other) => (dollars(other.cost) > dollars(one.cost) ? other : one),
    days[0] ?? { day: '', cost: '$0.00', units: 0 },
  );
  const [first, last] = [days[0], days.at(-1)];
  const most = Math.max(dollars(best.cost), 0.000_001);
  const sum = writeDollars(days.reduce((total, { cost }) => total + dollars(cost), 0));
  const words = best.units === 0 ? '' : `, most on ${formatShortDay(best.day)}: ${formatMoney(best.cost)}`;
  return (
    <figure>
      <svg
        role="img"
        aria-label={`Spend of the last ${days.length} days: ${sum} in all${words}.`}
        viewBox={`0 0 ${days.length * 10} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-24 w-full border-line border-t"
      >
        {days.map(({ day, cost, units }, index) => {
          const height = dollars(cost) === 0 ? 1.5 : Math.max(3, (dollars(cost) / most) * HEIGHT);
          return (
            <rect
              key={day}
              x={index * 10 + 1.5}
              y={HEIGHT - height}
              width={7}
              height={height}
              className={units === 0 ? 'fill-line' : 'fill-accent-bright'}
            >
              <title>{`${formatDay(day)}: ${formatMoney(cost)}, ${units} ${units === 1 ? 'image' : 'images'}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="figures mt-2 flex justify-between gap-2 text-muted text-xs">
        <span>{first && formatShortDay(first.day)}</span>
        <span>{`${sum} in all${words}`}</span>
        <span>{last && formatShortDay(last.day)}</span>
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
        <ButtonLink to="/playground" kind="primary">
          Try a prompt
        </ButtonLink>
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
      <LowBalance view={view} />
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
          <TaskList tasks={view.last_tasks} />
        )}
      </Card>
    </>
  );
}

/** Tells an owner that money is missing for some images or for all, and how to get it. */
function LowBalance({ view: { balance, available, image_prices: prices } }: { readonly view: OverviewView }) {
  const isShort = (price: string): boolean => dollars(available) < dollars(price);
  if (prices === null || !isShort(prices.dearest)) {
    return null;
  }
  const what =
    balance === '$0.00'
      ? 'The balance is empty: requests are refused until credit is added.'
      : !isShort(prices.cheapest)
        ? `${available} does not cover each image: the dearest costs ${prices.dearest}, the cheapest ${prices.cheapest}.`
        : isShort(prices.cheapest) && dollars(balance) >= dollars(prices.cheapest)
          ? `The balance is held for open tasks: ${available} is available, and the cheapest image costs ${prices.cheapest}.`
          : `The balance does not cover an image: the cheapest costs ${prices.cheapest}.`;
  return (
    <Notice kind="info" action={<AskCredit />}>
      {what}
    </Notice>
  );
}

/** First steps of a new owner. */
function FirstSteps({ hasKey }: { readonly hasKey: boolean }) {
  const steps = [
    ['/keys', 'Create an API key', 'Your programs need one. It is shown once.'],
    ['/playground', 'Try a prompt', 'See an image, and the same request as code.'],
    ['/webhooks', 'Set up webhooks', 'Receive a signed event when a task ends.'],
  ] as const;
  return (
    <Card title="First steps">
      <ol className="grid gap-3 sm:grid-cols-3">
        {steps.map(([to, name, note], index) => (
          <li key={to}>
            <Link
              to={to}
              className="group grid h-full content-start gap-1 rounded-xl border border-line p-4 transition hover:border-line-strong"
            >
              <span className="mb-2 grid size-7 place-items-center rounded-full bg-accent-soft font-semibold text-accent text-sm">
                {hasKey && to === '/keys' ? <Check className="size-4" aria-label="Done" /> : index + 1}
              </span>
              <span className="font-medium underline-offset-4 group-hover:underline">{name}</span>
              <span className="text-pretty text-muted text-sm">{note}</span>
            </Link>
          </li>
        ))}
      </ol>
    </Card>
  );
}
