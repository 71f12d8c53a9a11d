import type { SpendDay } from '@image-gateway/shared/contract';
import { dollars } from '../../lib/dollars.js';

const HEIGHT = 96;

/** Bar chart by day, as plain SVG, since a chart library would slow down the first page. */
export function DailyChart({ days }: { readonly days: readonly SpendDay[] }) {
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
