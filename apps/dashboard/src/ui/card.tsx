import type { ReactNode } from 'react';
import { cx } from '../lib/cx.js';

/** A part of a page on a sheet of its own, with a heading if it has one. */
export function Card({
  title,
  note,
  action,
  flush = false,
  className,
  children,
}: {
  readonly title?: string;
  readonly note?: ReactNode;
  readonly action?: ReactNode;
  /** No padding around the content: for tables. */
  readonly flush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <section className={cx('min-w-0 rounded-2xl border border-line bg-surface', className)}>
      {title !== undefined && (
        <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-5 pt-5 pb-1 sm:px-6">
          <div className="min-w-0">
            <h2 className="font-semibold text-base tracking-tight">{title}</h2>
            {note !== undefined && <p className="text-muted text-sm">{note}</p>}
          </div>
          {action}
        </header>
      )}
      <div
        className={cx(
          flush ? 'pt-2' : 'px-5 pb-5 sm:px-6 sm:pb-6',
          !flush && (title === undefined ? 'pt-5 sm:pt-6' : 'pt-4'),
        )}
      >
        {children}
      </div>
    </section>
  );
}
