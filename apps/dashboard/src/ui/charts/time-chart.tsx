import { lazy, Suspense } from 'react';
import type { TimeChartProps } from './drawn-chart.js';

export type { Series } from './drawn-chart.js';

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
export function TimeChart(props: TimeChartProps) {
  return (
    <div className="grid h-64">
      <Suspense fallback={null}>
        <DrawnChart {...props} />
      </Suspense>
    </div>
  );
}
