import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../lib/cx.js';
import { tidyMoney, tidyPart } from '../lib/figures.js';

/** A row of numbers on one sheet; two beside each other on a phone. */
export function Stats({
  label,
  columns = 4,
  children,
}: {
  readonly label: string;
  readonly columns?: 2 | 3 | 4;
  readonly children: ReactNode;
}) {
  return (
    <section aria-label={label} className="overflow-hidden rounded-2xl border border-line bg-line">
      <dl
        className={cx(
          'grid gap-px',
          { 2: 'grid-cols-2', 3: 'grid-cols-1 sm:grid-cols-3', 4: 'grid-cols-2 lg:grid-cols-4' }[columns],
        )}
      >
        {children}
      </dl>
    </section>
  );
}

/** A number that matters, with its name. */
export function Stat({ name, value, note }: Readonly<{ name: string; value: ReactNode; note?: ReactNode }>) {
  return (
    <div className="min-w-0 bg-surface px-5 py-4 sm:px-6 sm:py-5">
      <dt className="text-muted text-sm">{name}</dt>
      <dd className="figures mt-1 truncate font-semibold text-2xl tracking-[-0.02em]">{tidyPart(value)}</dd>
      {note !== undefined && <dd className="mt-0.5 text-[0.8125rem] text-muted">{tidyPart(note)}</dd>}
    </div>
  );
}

/** Share from which on a bar warns, in percent. */
const WARN_PERCENT = 80;

/** Bar of a part of a whole, with its words. It warns when the whole is nearly used. */
export function UsedBar({ part, whole, words }: Readonly<{ part: number; whole: number; words: string }>) {
  const percent = Math.min(100, Math.floor((part / whole) * 100));
  const isNear = percent >= WARN_PERCENT;
  return (
    <span className="grid max-w-60 gap-1">
      <span
        className={cx(
          'figures flex items-center gap-1 text-xs',
          isNear ? 'font-medium text-bad' : 'text-muted',
        )}
      >
        {isNear && <TriangleAlert aria-hidden className="size-3.5 shrink-0" />}
        <span>
          {tidyMoney(words)}
          {isNear && `, ${percent} %`}
        </span>
      </span>
      <span aria-hidden className="h-1.5 overflow-hidden rounded-full bg-sunken">
        <span
          className={cx('block h-full rounded-full', isNear ? 'bg-bad' : 'bg-good')}
          style={{ width: `${percent}%` }}
        />
      </span>
    </span>
  );
}
