import type { PublicTask } from '@image-gateway/shared/contract';
import { CircleX, LoaderCircle } from 'lucide-react';
import { cx } from '../../lib/cx.js';
import { ResultImage } from '../../ui/result-image.js';

/** First image of a task, small, with the number of further ones; the status when there is none. */
export function Thumbnail({ task }: { readonly task: PublicTask }) {
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
