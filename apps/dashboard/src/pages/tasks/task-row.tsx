import type { TaskItem } from '@image-gateway/shared/contract';
import { Link } from '@tanstack/react-router';
import { StatusBadge } from '../../ui/status-badge.js';
import { Time } from '../../ui/time.js';
import { Thumbnail } from './thumbnail.js';

/** A task in one line, which leads to all of it. */
export function TaskRow({ task }: { readonly task: TaskItem }) {
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
      <span className="figures hidden text-sm sm:block">{task.cost}</span>
      <StatusBadge status={task.status} />
    </Link>
  );
}
