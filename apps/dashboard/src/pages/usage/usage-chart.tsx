import type { UsageView } from '@image-gateway/shared/usage/schema';
import { dollars, tickDollars, tidyMoney, writeDollars } from '../../lib/figures.js';
import { formatDay, formatShortDay } from '../../lib/times.js';
import { TimeChart } from '../../ui/charts/time-chart.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const COLORS = ['var(--accent-bright)', 'var(--second)', 'var(--good)', 'var(--wait)'];

/** Stacked bars of the cost of each model by day. The table below has the same numbers. */
export function UsageChart({ usage }: { readonly usage: UsageView }) {
  const models = [...new Set(usage.days.map(({ model }) => model))].sort();
  const days = listDays(usage);
  return (
    <TimeChart
      label={tidyMoney(
        `Cost per day from ${formatDay(usage.from)} to ${formatDay(usage.to)}, ${usage.charged} in all. The table below has every number.`,
      )}
      times={days}
      formatTick={formatShortDay}
      formatTime={formatDay}
      formatValue={writeDollars}
      formatStep={tickDollars}
      series={models.map((model, index) => ({
        name: model,
        kind: 'bar',
        color: COLORS[index % COLORS.length] ?? 'currentColor',
        values: days.map((day) => {
          const item = usage.days.find((other) => other.day === day && other.model === model);
          return item ? dollars(item.cost) : null;
        }),
      }))}
    />
  );
}

/** Every day of the span, those without usage too, so that a gap looks like one. */
function listDays(usage: UsageView): string[] {
  const days: string[] = [];
  for (let time = Date.parse(usage.from); time <= Date.parse(usage.to); time += DAY_MS) {
    days.push(new Date(time).toISOString().slice(0, 10));
  }
  return days;
}
