import type { PublicTask, TaskItem } from '@image-gateway/shared/task/schema';
import { Link } from '@tanstack/react-router';
import { CircleX, LoaderCircle } from 'lucide-react';
import { cx } from '../../lib/cx.js';
import { formatMoney } from '../../lib/figures.js';
import { StatusBadge } from '../../ui/badge.js';
import { ResultImage } from '../../ui/result-image.js';
import { Time } from '../../ui/time.js';

/** Tasks, one below the other. */
export function TaskList({ tasks }: { readonly tasks: readonly TaskItem[] }) {
  return (
    <ul aria-label="Tasks">
      {tasks.map((task) => (
        <li key={task.id} className="border-line border-b last:border-0">
          <TaskRow task={task} />
        </li>
      ))}
    </ul>
  );
}

/** A task in one line, which leads to all of it. */
function TaskRow({ task }: { readonly task: TaskItem }) {
  return (
    <Link
      to="/tasks/$id"
      params={{ id: task.id }}
      className="flex items-center gap-3.5 px-5 py-3 transition hover:bg-sunken sm:px-6"
    >
      <Thumbnail task={task} />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium text-sm">{task.prompt}</span>
        <span className="block truncate text-[0.8125rem] text-muted">
          <Time iso={task.created_at} /> · {task.type === 'image_edit' ? 'edit' : 'generation'} · {task.model}
        </span>
      </span>
      <span className="figures hidden text-sm sm:block">{formatMoney(task.cost)}</span>
      <StatusBadge status={task.status} />
    </Link>
  );
}

/** First image of a task, small, with the number of further ones; the status when there is none. */
function Thumbnail({ task }: { readonly task: PublicTask }) {
  const looks =
    'relative grid h-11 w-16 shrink-0 place-items-center overflow-hidden rounded-lg bg-sunken text-muted';
  const urls = task.output?.urls ?? [];
  if (urls[0] === undefined) {
    const Icon = task.status === 'failed' ? CircleX : LoaderCircle;
    return (
      <span className={looks}>
        <Icon aria-hidden className={cx('size-4', task.status === 'pending' && 'animate-spin')} />
      </span>
    );
  }
  return (
    <span className={looks}>
      <ResultImage url={urls[0]} alt="" className="h-full w-full" />
      {urls.length > 1 && (
        <span className="absolute right-1 bottom-1 rounded bg-black/70 px-1 font-medium text-[0.6875rem] text-white leading-4">
          {urls.length}
        </span>
      )}
    </span>
  );
}
