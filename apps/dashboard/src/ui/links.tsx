import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { cx } from '../lib/cx.js';
import type { TaskLogSearch } from '../lib/search.js';

/** Link of an operator to an account. */
export function AccountLink({ id, children }: Readonly<{ id: string; children?: string }>) {
  return (
    <Link
      to="/operator/accounts/$id"
      params={{ id }}
      className={cx('underline underline-offset-4', children ? 'break-all font-medium' : 'font-mono')}
    >
      {children ?? id}
    </Link>
  );
}

/** Link to a task on the page of its owner or on that of operators. */
export function TaskLink({ of, id }: Readonly<{ of: 'owner' | 'operator'; id: string }>) {
  return (
    <Link
      to={of === 'owner' ? '/tasks/$id' : '/operator/tasks/$id'}
      params={{ id }}
      className="block break-all font-mono text-muted text-xs underline underline-offset-4"
    >
      {id}
    </Link>
  );
}

/** Link of an operator from a number to the tasks that it counts. */
export function TasksLink({ search, children }: Readonly<{ search: TaskLogSearch; children: ReactNode }>) {
  return (
    <Link
      to="/operator/tasks"
      search={search}
      className="underline decoration-line-strong underline-offset-4 hover:decoration-current"
    >
      {children}
    </Link>
  );
}

/** Link outside the pages, to the operator of the gateway. */
export function SupportLink({ url, className }: Readonly<{ url: string; className?: string }>) {
  return (
    <a href={url} className={cx('font-medium underline underline-offset-4', className)}>
      Contact the operator
    </a>
  );
}
