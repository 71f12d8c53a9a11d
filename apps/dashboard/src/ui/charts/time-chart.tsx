import { lazy, Suspense } from 'react';
import { cx } from '../../lib/cx.js';

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

const NotLoaded = () => (
  <p className="text-muted text-sm">The chart could not be loaded. The page has every number without it.</p>
);
// Its library is larger than the rest of a page, which doesn't wait for it.
const DrawnChart = lazy(() =>
  import('./drawn-chart.js').then(
    (module) => ({ default: module.DrawnChart }),
    () => ({ default: NotLoaded }),
  ),
);

/** Chart of values over time. A pointer or the arrow keys show the values of one time. */
export function TimeChart({
  isLow = false,
  ...chart
}: TimeChartProps & {
  /** True for a chart that leaves room for what stands below it. */
  readonly isLow?: boolean;
}) {
  return (
    <div className={cx('grid', isLow ? 'h-44' : 'h-64')}>
      <Suspense fallback={null}>
        <DrawnChart {...chart} />
      </Suspense>
    </div>
  );
}
