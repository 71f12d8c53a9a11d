import type { TaskDetail } from '@image-gateway/shared/contract';
import { Link } from '@tanstack/react-router';
import { Download, Pencil } from 'lucide-react';
import { bytes } from '../../lib/bytes.js';
import { cx } from '../../lib/cx.js';
import { buttonClass } from '../../ui/forms/button.js';
import { ResultImage } from '../../ui/result-image.js';

/** Images of a task, large, each with its size and actions. */
export function TaskImages({ task }: { readonly task: TaskDetail }) {
  return (
    <ul className={cx('grid gap-5', task.outputs.length > 1 && 'sm:grid-cols-2')} aria-label="Images">
      {task.outputs.map((output) => (
        <li key={output.index} className="overflow-hidden rounded-2xl border border-line bg-surface">
          <a href={output.url} target="_blank" rel="noreferrer" className="block bg-sunken">
            <ResultImage
              url={output.url}
              alt={`Image ${output.index + 1}: ${task.prompt.slice(0, 120)}`}
              className={cx(
                'mx-auto w-full object-contain',
                task.outputs.length === 1 ? 'max-h-[34rem]' : 'max-h-80',
              )}
            />
          </a>
          <div className="flex flex-wrap items-center justify-between gap-2 px-4 py-3">
            <span className="figures text-muted text-sm">
              {output.width} × {output.height} · {bytes(output.bytes)} ·{' '}
              {output.content_type.replace('image/', '').toUpperCase()}
            </span>
            <span className="flex gap-1.5">
              <Link to="/playground" search={{ image: output.url }} className={buttonClass('quiet', true)}>
                <Pencil aria-hidden />
                Edit
              </Link>
              <a href={output.url} download className={buttonClass('quiet', true)}>
                <Download aria-hidden />
                Open
              </a>
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}
