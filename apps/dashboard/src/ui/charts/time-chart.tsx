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

/** Values of one name, as bars that are stacked or as a line. */
export interface Series {
  readonly name: string;
  readonly kind: 'bar' | 'line';
  /** A colour of the style sheet, such as `var(--good)`. */
  readonly color: string;
  /** One for each time; null leaves a gap. */
  readonly values: readonly (number | null)[];
}

const tick = { fill: 'var(--muted)', fontSize: 12 };
const tooltipStyle = {
  background: 'var(--surface)',
  border: '1px solid var(--line)',
  borderRadius: 12,
  color: 'var(--ink)',
  fontSize: 13,
};

/** Chart of values over time. The label says what it shows and where the same numbers are to be read. */
export function TimeChart({
  label,
  times,
  series,
  formatTime,
  formatValue,
  max,
}: {
  readonly label: string;
  readonly times: readonly string[];
  readonly series: readonly Series[];
  readonly formatTime: (time: string) => string;
  readonly formatValue: (value: number) => string;
  /** Upper end of the scale; by default that of the values. */
  readonly max?: number;
}) {
  const rows = times.map((time, place) => ({
    time,
    ...Object.fromEntries(series.map(({ name, values }) => [name, values[place] ?? null])),
  }));
  return (
    <div role="img" aria-label={label} className="h-64">
      <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 600, height: 256 }}>
        <ComposedChart
          data={rows}
          accessibilityLayer={false}
          margin={{ top: 8, right: 4, bottom: 0, left: 0 }}
        >
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="time"
            tick={tick}
            tickLine={false}
            axisLine={{ stroke: 'var(--line)' }}
            minTickGap={40}
            tickFormatter={formatTime}
          />
          <YAxis
            tick={tick}
            tickLine={false}
            axisLine={false}
            width={62}
            domain={[0, max ?? 'auto']}
            tickFormatter={formatValue}
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
    </div>
  );
}
