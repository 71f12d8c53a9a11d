import type { UseQueryResult } from '@tanstack/react-query';
import { notFound } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, Info, type LucideIcon, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/request.js';
import { cx } from '../lib/cx.js';
import { tidyPart } from '../lib/figures.js';
import { useOnline } from '../lib/use-online.js';
import { Card } from './card.js';
import { Button } from './forms/button.js';

const KINDS = {
  bad: ['border-bad/30 bg-bad-soft text-bad', CircleAlert],
  good: ['border-good/30 bg-good-soft text-good', CircleCheck],
  info: ['border-line bg-sunken text-ink', Info],
} as const;

/** Important message; errors are announced to screen readers at once. */
export function Notice({
  kind,
  children,
  action,
}: {
  readonly kind: keyof typeof KINDS;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}) {
  const [looks, Icon] = KINDS[kind];
  return (
    <div
      role={kind === 'bad' ? 'alert' : 'status'}
      className={cx('flex flex-wrap items-center gap-3 rounded-xl border px-4 py-3 text-sm', looks)}
    >
      <Icon aria-hidden className="size-4.5 shrink-0" />
      <div className="min-w-0 flex-1 basis-48">{tidyPart(children)}</div>
      {action}
    </div>
  );
}

/** Notice of an error, with a button to retry where that is possible. */
export function ErrorNotice({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  return (
    <Notice
      kind="bad"
      action={
        onRetry && (
          <Button small onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      {error instanceof Error ? error.message : 'Something went wrong.'}
    </Notice>
  );
}

/** Holds the place of what is being loaded. */
export function Loading({ rows = 3, className }: { readonly rows?: number; readonly className?: string }) {
  return (
    <div role="status" className={cx('grid gap-3 py-1', className)}>
      <span className="sr-only">Loading…</span>
      {Array.from({ length: rows }, (_, row) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
          key={row}
          aria-hidden
          className="block h-5 animate-pulse rounded-md bg-sunken"
          style={{ width: `${92 - ((row * 17) % 45)}%` }}
        />
      ))}
    </div>
  );
}

/**
 * Shows what was loaded, or that it is being loaded, or why it could not be. Without the thing it shows `missing`, or a page that is
 * not found.
 */
export function Load<T>({
  query,
  rows,
  missing,
  children,
}: {
  readonly query: UseQueryResult<T>;
  readonly rows?: number;
  readonly missing?: ReactNode;
  readonly children: (data: T) => ReactNode;
}) {
  const { data, error, refetch } = query;
  const isOnline = useOnline();
  if (error instanceof ApiError && error.status === 404) {
    if (missing !== undefined) {
      return missing;
    }
    throw notFound();
  }
  if (data !== undefined) {
    return (
      <>
        {error && isOnline && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {children(data)}
      </>
    );
  }
  if (error) {
    return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  }
  return <Loading {...(rows !== undefined && { rows })} />;
}

/** Says that there is nothing yet, and what to do about it. */
export function Empty({
  icon: Icon,
  title,
  children,
  action,
}: {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="grid justify-items-center gap-2 px-6 py-12 text-center">
      <span className="mb-1 grid size-11 place-items-center rounded-full bg-sunken text-muted">
        <Icon aria-hidden className="size-5" />
      </span>
      <p className="font-medium">{title}</p>
      {children !== undefined && <p className="max-w-sm text-pretty text-muted text-sm">{children}</p>}
      {action !== undefined && <div className="mt-3">{action}</div>}
    </div>
  );
}

/** Says that no such thing has the id of the page. */
export function UnknownId({ of }: { readonly of: 'account' | 'task' }) {
  return (
    <Card>
      <Empty icon={SearchX} title={`No ${of} has this id`}>
        It may be mistyped, or the id of something else: search for it.
      </Empty>
    </Card>
  );
}
