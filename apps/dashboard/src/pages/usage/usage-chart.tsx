import type { UsageView } from '@image-gateway/shared/contract';
import { Bar, BarChart, CartesianGrid, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { dollars } from '../../lib/dollars.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const COLORS = ['var(--accent-bright)', 'var(--second)', 'var(--good)', 'var(--wait)'];
const tick = { fill: 'var(--muted)', fontSize: 12 };

/** Stacked bars of the cost of each model by day. The table below has the same numbers. */
export function UsageChart({ usage }: { readonly usage: UsageView }) {
  const models = [...new Set(usage.days.map(({ model }) => model))].sort();
  const rows = getDays(usage);
  return (
    <div
      role="img"
      aria-label={`Cost per day from ${usage.from} to ${usage.to}, ${usage.charged} in all. The table below has every number.`}
      className="h-64"
    >
      <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 600, height: 256 }}>
        <BarChart data={rows} accessibilityLayer={false} margin={{ top: 8, right: 4, bottom: 0, left: 0 }}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="day"
            tick={tick}
            tickLine={false}
            axisLine={{ stroke: 'var(--line)' }}
            minTickGap={40}
            tickFormatter={(day: string) => day.slice(5)}
          />
          <YAxis
            tick={tick}
            tickLine={false}
            axisLine={false}
            width={62}
            tickFormatter={(value: number) => `$${value.toFixed(value !== 0 && value < 0.1 ? 3 : 2)}`}
          />
          <Tooltip
            cursor={{ fill: 'var(--sunken)' }}
            formatter={(value) => `$${Number(value).toFixed(4)}`}
            contentStyle={{
              background: 'var(--surface)',
              border: '1px solid var(--line)',
              borderRadius: 12,
              color: 'var(--ink)',
              fontSize: 13,
            }}
            itemStyle={{ color: 'var(--ink)' }}
            isAnimationActive={false}
          />
          {models.length > 1 && (
            <Legend
              iconType="circle"
              iconSize={8}
              formatter={(model: string) => <span className="text-muted text-xs">{model}</span>}
            />
          )}
          {models.map((model, index) => (
            <Bar
              key={model}
              dataKey={model}
              stackId="cost"
              fill={COLORS[index % COLORS.length] ?? 'currentColor'}
              isAnimationActive={false}
              maxBarSize={28}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}

/** A row for every day of the span, those without usage too, so that a gap looks like one. */
function getDays(usage: UsageView): Record<string, string | number>[] {
  const rows = new Map<string, Record<string, string | number>>();
  for (let time = Date.parse(usage.from); time <= Date.parse(usage.to); time += DAY_MS) {
    const day = new Date(time).toISOString().slice(0, 10);
    rows.set(day, { day });
  }
  for (const { day, model, cost } of usage.days) {
    const row = rows.get(day);
    if (row) {
      row[model] = dollars(cost);
    }
  }
  return [...rows.values()];
}
