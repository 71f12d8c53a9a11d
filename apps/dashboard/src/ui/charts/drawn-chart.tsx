import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Legend,
  Line,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { createScale } from '../../lib/figures.js';

/** Values of one name, as bars that are stacked or as a line. */
export interface Series {
  readonly name: string;
  readonly kind: 'bar' | 'line';
  /** A colour of the style sheet, such as `var(--good)`. */
  readonly color: string;
  /** One for each time; null leaves a gap. */
  readonly values: readonly (number | null)[];
}

/** Contents of a chart, and how it writes them. */
export interface TimeChartProps {
  /** Says what it shows and where the same numbers are to be read. */
  readonly label: string;
  readonly times: readonly string[];
  readonly series: readonly Series[];
  /** Writes a time at the axis. */
  readonly formatTick: (time: string) => string;
  /** Writes a time beside its values. */
  readonly formatTime: (time: string) => string;
  readonly formatValue: (value: number) => string;
  /** Writes a tick of the values; those of one axis have the same decimals. */
  readonly formatStep: (value: number, step: number) => string;
  readonly isCount?: boolean;
  /** Upper end of the scale; by default that of the values. */
  readonly max?: number;
}

const tick = { fill: 'var(--muted)', fontSize: 12 };
const tooltipStyle = {
  background: 'var(--surface)',
  border: '1px solid var(--line)',
  borderRadius: 12,
  color: 'var(--ink)',
  fontSize: 13,
};

/** The chart itself, with its library. The arrow keys move through the times. */
export function DrawnChart({ label, times, series, isCount, max, ...format }: TimeChartProps) {
  const { formatTick, formatTime, formatValue, formatStep } = format;
  const rows = times.map((time, place) => ({
    time,
    ...Object.fromEntries(series.map(({ name, values }) => [name, values[place] ?? null])),
  }));
  const bars = series.filter(({ kind }) => kind === 'bar');
  const heights = times.map((_, place) => bars.reduce((sum, { values }) => sum + (values[place] ?? 0), 0));
  const points = series.flatMap(({ kind, values }) =>
    kind === 'line' ? values.map((value) => value ?? 0) : [],
  );
  const { ticks, step, top } = createScale(max ?? Math.max(0, ...heights, ...points), isCount);
  return (
    <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 600, height: 256 }}>
      <ComposedChart data={rows} title={label} margin={{ top: 8, right: 4, bottom: 0, left: 0 }}>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="time"
          tick={tick}
          tickLine={false}
          axisLine={{ stroke: 'var(--line)' }}
          minTickGap={40}
          tickFormatter={formatTick}
        />
        <YAxis
          tick={tick}
          tickLine={false}
          axisLine={false}
          width="auto"
          domain={[0, top]}
          ticks={[...ticks]}
          tickFormatter={(value: number) => formatStep(value, step)}
        />
        <Tooltip
          cursor={{ fill: 'var(--sunken)' }}
          labelFormatter={(time) => formatTime(String(time))}
          formatter={(value) => formatValue(Number(value))}
          contentStyle={tooltipStyle}
          itemStyle={{ color: 'var(--ink)' }}
          isAnimationActive={false}
        />
        {(series.length > 1 || series[0]?.kind === 'line') && (
          <Legend
            itemSorter={null}
            iconType="circle"
            iconSize={8}
            formatter={(name: string) => <span className="text-muted text-xs">{name}</span>}
          />
        )}
        {series.map(({ name, kind, color }) =>
          kind === 'bar' ? (
            <Bar
              key={name}
              dataKey={name}
              stackId="bars"
              fill={color}
              isAnimationActive={false}
              maxBarSize={28}
            />
          ) : (
            <Line
              key={name}
              dataKey={name}
              stroke={color}
              strokeWidth={2}
              dot={{ r: 2, strokeWidth: 0, fill: color }}
              isAnimationActive={false}
            />
          ),
        )}
      </ComposedChart>
    </ResponsiveContainer>
  );
}
