import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react';
import { cx } from '../../lib/cx.js';
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

interface Props {
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
  /** True for a chart that leaves room for what stands below it. */
  readonly isLow?: boolean;
  /** Upper end of the scale; by default that of the values. */
  readonly max?: number;
}

const HEIGHT = 100;
/** Most ticks of the axis of times; a phone shows every other one. */
const TIME_TICKS = 7;
/** Lines of more values have a dot only where a value stands alone. */
const MOST_DOTS = 62;
const MOVES: Readonly<Record<string, (place: number, last: number) => number>> = {
  ArrowLeft: (place) => place - 1,
  ArrowDown: (place) => place - 1,
  ArrowRight: (place) => place + 1,
  ArrowUp: (place) => place + 1,
  Home: () => 0,
  End: (_, last) => last,
};

/** Chart of values over time. A pointer or the arrow keys show the values of one time. */
export function TimeChart(props: Props) {
  const { label, times, series, formatTime, formatValue } = props;
  const [chosen, setChosen] = useState<number | null>(null);
  const last = times.length - 1;
  const place = Math.min(chosen ?? last, last);
  const press = (event: KeyboardEvent): void => {
    const move = MOVES[event.key];
    if (move) {
      event.preventDefault();
      setChosen(Math.max(0, Math.min(last, move(place, last))));
    }
  };
  const point = ({ currentTarget, clientX }: PointerEvent): void => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setChosen(Math.max(0, Math.min(last, Math.floor(((clientX - left) / width) * times.length))));
  };
  const shown = series.flatMap(({ name, color, values }) => {
    const value = values[place] ?? null;
    return value === null ? [] : [{ name, color, text: formatValue(value) }];
  });
  const time = formatTime(times[place] ?? '');
  const words = shown.map(({ name, text }) => (series.length > 1 ? `${name} ${text}` : text)).join(', ');
  return (
    <figure className="grid gap-3">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-2 text-muted text-xs">
        <Plot {...props}>
          <div
            role="slider"
            tabIndex={0}
            aria-label={label}
            aria-valuemin={0}
            aria-valuemax={last}
            aria-valuenow={place}
            aria-valuetext={`${time}: ${words || 'nothing'}`}
            className="absolute inset-0 touch-pan-y rounded-sm"
            onKeyDown={press}
            onFocus={({ currentTarget }) => currentTarget.matches(':focus-visible') && setChosen(place)}
            onBlur={() => setChosen(null)}
            onPointerMove={point}
            onPointerDown={point}
            onPointerLeave={() => setChosen(null)}
          />
          {chosen !== null && (
            <Reading
              at={(place + 0.5) / times.length}
              time={time}
              shown={shown}
              hasNames={series.length > 1}
            />
          )}
        </Plot>
      </div>
      {(series.length > 1 || series[0]?.kind === 'line') && (
        <figcaption>
          <ul className="flex flex-wrap justify-center gap-x-4 gap-y-1 text-muted text-xs">
            {series.map(({ name, color }) => (
              <li key={name} className="flex items-center gap-1.5">
                <Dot color={color} />
                {name}
              </li>
            ))}
          </ul>
        </figcaption>
      )}
    </figure>
  );
}

const Dot = ({ color }: { readonly color: string }) => (
  <span aria-hidden className="size-2 shrink-0 rounded-full" style={{ background: color }} />
);

/** Both axes with the lines of the scale, bars and lines, and what lies over them. */
function Plot(props: Props & { readonly children: ReactNode }) {
  const { times, series, formatTick, formatStep, isCount, max, isLow, children } = props;
  const height = isLow ? 'h-36' : 'h-56';
  const bars = series.filter(({ kind }) => kind === 'bar');
  const sums = times.map((_, place) => bars.reduce((sum, { values }) => sum + (values[place] ?? 0), 0));
  const lines = series.filter(({ kind }) => kind === 'line');
  const most = Math.max(0, ...sums, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const { ticks, step, top } = createScale(max ?? most, isCount);
  const every = Math.ceil(times.length / TIME_TICKS);
  const level = (value: number): string => `${100 - (100 * value) / top}%`;
  return (
    <>
      <div aria-hidden className="figures grid text-right">
        {/* The widest tick decides the width; the others are placed. */}
        <span className={cx('relative', height)}>
          {ticks.map((tick) => (
            <span key={tick} className="absolute right-0 -translate-y-1/2" style={{ top: level(tick) }}>
              {formatStep(tick, step)}
            </span>
          ))}
        </span>
        <span className="invisible h-0 overflow-hidden">
          {longest(ticks.map((tick) => formatStep(tick, step)))}
        </span>
      </div>
      <div className={cx('relative', height)}>
        {ticks.map((tick) => (
          <span key={tick} className="absolute inset-x-0 border-line border-t" style={{ top: level(tick) }} />
        ))}
        <svg
          aria-hidden
          viewBox={`0 0 ${times.length} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="absolute inset-0 size-full overflow-visible"
        >
          {times.map((time, place) => (
            <Stack key={time} bars={bars} place={place} count={times.length} scale={HEIGHT / top} />
          ))}
          {lines.map(({ name, color, values }) => (
            <Line key={name} color={color} values={values} scale={HEIGHT / top} />
          ))}
        </svg>
        {children}
      </div>
      <span />
      <div aria-hidden className="figures relative h-4">
        {times.map(
          (time, place) =>
            place % every === 0 && (
              <span
                key={time}
                className={cx('absolute whitespace-nowrap', (place / every) % 2 === 1 && 'hidden sm:inline')}
                style={placeLabel((place + 0.5) / times.length)}
              >
                {formatTick(time)}
              </span>
            ),
        )}
      </div>
    </>
  );
}

/** A label stands below its bar, and at the end of the axis inside of it. */
const placeLabel = (at: number) =>
  at > 0.94 ? { right: 0 } : { left: `${100 * at}%`, transform: 'translateX(-50%)' };

const longest = (texts: readonly string[]): string =>
  texts.reduce((one, other) => (other.length > one.length ? other : one), '');

/** Bars of one time, one upon the other. */
function Stack({
  bars,
  place,
  count,
  scale,
}: Readonly<{ bars: readonly Series[]; place: number; count: number; scale: number }>) {
  const width = Math.min(0.7, count * 0.04);
  let below = 0;
  return bars.map(({ name, color, values }) => {
    const height = (values[place] ?? 0) * scale;
    below += height;
    return (
      height > 0 && (
        <rect
          key={name}
          x={place + (1 - width) / 2}
          y={HEIGHT - below}
          width={width}
          height={height}
          fill={color}
        />
      )
    );
  });
}

/** Line with a dot at each value, broken where there is none. */
function Line({
  color,
  values,
  scale,
}: Readonly<{ color: string; values: Series['values']; scale: number }>) {
  const at = (value: number, place: number): string => `${place + 0.5} ${HEIGHT - value * scale}`;
  const path = values.map((value, place) =>
    value === null ? '' : `${(values[place - 1] ?? null) === null ? 'M' : 'L'}${at(value, place)}`,
  );
  const isAlone = (place: number): boolean =>
    (values[place - 1] ?? null) === null && (values[place + 1] ?? null) === null;
  const dots = values.map((value, place) =>
    value !== null && (values.length <= MOST_DOTS || isAlone(place)) ? `M${at(value, place)}h0.0001` : '',
  );
  const stroke = { fill: 'none', stroke: color, vectorEffect: 'non-scaling-stroke' } as const;
  return (
    <>
      <path {...stroke} d={path.join('')} strokeWidth={2} />
      <path {...stroke} d={dots.join('')} strokeWidth={5} strokeLinecap="round" />
    </>
  );
}

/** Values of the chosen time, in the other half of the plot: they fit it on a phone too. */
function Reading({
  at,
  time,
  shown,
  hasNames,
}: {
  readonly at: number;
  readonly time: string;
  readonly shown: readonly { readonly name: string; readonly color: string; readonly text: string }[];
  readonly hasNames: boolean;
}) {
  return (
    <>
      <span
        aria-hidden
        className="pointer-events-none absolute inset-y-0 border-line-strong border-l border-dashed"
        style={{ left: `${100 * at}%` }}
      />
      <div
        aria-hidden
        className={cx(
          'figures pointer-events-none absolute top-1 z-10 grid w-max max-w-full gap-0.5 rounded-xl border border-line',
          'bg-surface px-3 py-2 text-[0.8125rem] text-ink shadow-sm',
          at < 0.5 ? 'right-0' : 'left-0',
        )}
      >
        <span className="whitespace-nowrap text-muted text-xs">{time}</span>
        {shown.length === 0 && 'nothing'}
        {shown.map(({ name, color, text }) => (
          <span key={name} className="flex items-center gap-1.5 whitespace-nowrap">
            {hasNames && <Dot color={color} />}
            {hasNames && name} {text}
          </span>
        ))}
      </div>
    </>
  );
}
