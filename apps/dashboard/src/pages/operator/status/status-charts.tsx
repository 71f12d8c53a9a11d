import type { StatusView } from '@image-gateway/shared/system/schema';
import { dollars, roundDollars, seconds, tickDollars, tickSeconds, tidyMoney } from '../../../lib/figures.js';
import { formatDay, formatHour, formatShortDay } from '../../../lib/times.js';
import { Card } from '../../../ui/card.js';
import { type Series, TimeChart } from '../../../ui/charts/time-chart.js';

type Read = (point: StatusView['points'][number]) => number | null;

const COLORS = [
  'var(--accent-bright)',
  'var(--second)',
  'var(--good)',
  'var(--wait)',
  'var(--bad)',
  'var(--muted)',
] as const;
const TABLE = 'The table below has every number.';
// A chart has room for seven characters beside its axis.
const count = (value: number): string =>
  value.toLocaleString('en', value < 1_000_000 ? {} : { notation: 'compact', maximumFractionDigits: 2 });

/** Charts of a span: tasks, times, success by provider, money. */
export function StatusCharts({ view }: { readonly view: StatusView }) {
  const { points, unit, whole } = view;
  const axis = {
    times: points.map(({ at }) => at),
    formatTick: (at: string) =>
      unit === 'day' || view.span === 'week' ? formatShortDay(at) : at.slice(11, 16),
    formatTime: (at: string) => (unit === 'day' ? formatDay(at) : `${formatHour(at)} UTC`),
  };
  const draw =
    (kind: Series['kind']) =>
    (name: string, color: string, read: Read): Series => ({ name, kind, color, values: points.map(read) });
  const [bars, line] = [draw('bar'), draw('line')];
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <Card title="Throughput" note={`Tasks that ended in each ${unit}`}>
        <TimeChart
          {...axis}
          label={`Tasks that ended in each ${unit}: ${whole.completed} completed and ${whole.failed} failed in all. ${TABLE}`}
          formatValue={count}
          formatStep={count}
          isCount
          series={[
            bars('completed', COLORS[0], ({ completed }) => completed),
            bars('failed', 'var(--bad)', ({ failed }) => failed),
          ]}
        />
      </Card>
      <Card title="Waiting time" note="From submit to start, and to the end of completed tasks">
        <TimeChart
          {...axis}
          label={
            `Waiting time in each ${unit}: half of all tasks began within ${seconds(whole.wait_p50_ms)}, ` +
            `95 % within ${seconds(whole.wait_p95_ms)}. ${TABLE}`
          }
          formatValue={seconds}
          formatStep={tickSeconds}
          series={[
            line('wait, median', 'var(--second)', ({ wait_p50_ms }) => wait_p50_ms),
            line('wait, 95 %', 'var(--wait)', ({ wait_p95_ms }) => wait_p95_ms),
            line('whole, median', COLORS[0], ({ total_p50_ms }) => total_p50_ms),
          ]}
        />
      </Card>
      <Card
        title="Success by provider"
        note="Calls that delivered; refusals and rate limits count for neither"
      >
        <TimeChart
          {...axis}
          label={`Share of calls that delivered in each ${unit}: ${describeProviders(view)}.`}
          formatValue={(share) => `${share.toFixed(1)} %`}
          formatStep={(share) => `${share} %`}
          max={100}
          series={view.providers.map(({ provider, delivered, failed }, index) => ({
            name: provider,
            kind: 'line',
            color: COLORS[index % COLORS.length] ?? 'currentColor',
            values: delivered.map((good, place) => {
              const all = good + (failed[place] ?? 0);
              return all === 0 ? null : (100 * good) / all;
            }),
          }))}
        />
      </Card>
      <Card title="Money" note="Charged less refunds, and the upstream cost of the same time">
        <TimeChart
          {...axis}
          label={tidyMoney(
            `Money in each ${unit}: ${whole.charged} charged, ${whole.refunded} refunded, ` +
              `${whole.cost} upstream cost in all. ${TABLE}`,
          )}
          formatValue={roundDollars}
          formatStep={tickDollars}
          series={[
            bars('charged', COLORS[0], ({ charged, refunded }) => dollars(charged) - dollars(refunded)),
            line('upstream cost', 'var(--second)', ({ cost }) => dollars(cost)),
          ]}
        />
      </Card>
    </div>
  );
}

/** Says each provider's share of all calls of the span, since a chart can't be read aloud. */
function describeProviders({ providers }: StatusView): string {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return providers.length === 0
    ? 'no calls'
    : providers
        .map(({ provider, delivered, failed }) => {
          const all = sum(delivered) + sum(failed);
          return `${provider} ${all === 0 ? 'none' : `${((100 * sum(delivered)) / all).toFixed(1)} %`} of ${all}`;
        })
        .join(', ');
}
