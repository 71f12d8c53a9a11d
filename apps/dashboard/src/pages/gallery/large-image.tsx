import type { GalleryImage } from '@image-gateway/shared/task/schema';
import { ChevronLeft, ChevronRight, Download, Pencil } from 'lucide-react';
import { useEffect } from 'react';
import { formatBytes, formatMoney } from '../../lib/figures.js';
import { Button, ButtonAnchor, ButtonLink } from '../../ui/forms/button.js';
import { Dialog } from '../../ui/forms/dialog.js';
import { nameFile, ResultImage } from '../../ui/result-image.js';
import { Time } from '../../ui/time.js';

/** Large view of an image with its prompt, size and cost. The arrow keys show its neighbours. */
export function LargeImage({
  images,
  index,
  onIndex,
  onClose,
}: {
  readonly images: readonly GalleryImage[];
  readonly index: number | null;
  readonly onIndex: (index: number) => void;
  readonly onClose: () => void;
}) {
  const image = index === null ? undefined : images[index];
  const hasNewer = index !== null && index > 0;
  const hasOlder = index !== null && index < images.length - 1;
  useEffect(() => {
    const step = ({ key }: KeyboardEvent): void => {
      if (key === 'ArrowLeft' && hasNewer) {
        onIndex(index - 1);
      } else if (key === 'ArrowRight' && hasOlder) {
        onIndex(index + 1);
      }
    };
    // The dialog keeps arrow keys to itself; on their way down they pass here first.
    window.addEventListener('keydown', step, true);
    return () => window.removeEventListener('keydown', step, true);
  }, [index, hasNewer, hasOlder, onIndex]);
  return (
    <Dialog wide open={image !== undefined} onClose={onClose} title="Image">
      {image && index !== null && (
        <div className="grid gap-4">
          <ResultImage
            key={image.url}
            url={image.url}
            alt={image.prompt || `Image of ${image.task_id}`}
            className="max-h-[60dvh] min-h-40 w-full rounded-lg !object-contain"
          />
          <p className="max-h-32 overflow-y-auto text-pretty [overflow-wrap:anywhere]">{image.prompt}</p>
          <p className="figures text-muted text-sm">
            {image.width} × {image.height} pixels · {formatBytes(image.bytes)} · {formatMoney(image.cost)} ·{' '}
            {image.model} · <Time iso={image.created_at} />
          </p>
          <div className="flex flex-wrap items-center gap-2">
            <Button small aria-label="Newer image" disabled={!hasNewer} onClick={() => onIndex(index - 1)}>
              <ChevronLeft aria-hidden />
            </Button>
            <Button small aria-label="Older image" disabled={!hasOlder} onClick={() => onIndex(index + 1)}>
              <ChevronRight aria-hidden />
            </Button>
            <span className="hidden flex-1 sm:block" />
            <ButtonLink to="/tasks/$id" params={{ id: image.task_id }} kind="quiet" small>
              Task
            </ButtonLink>
            <ButtonAnchor href={image.url} download={nameFile(image.url)} small>
              <Download aria-hidden />
              Download
            </ButtonAnchor>
            <ButtonLink to="/playground" search={{ image: image.url }} kind="primary" small>
              <Pencil aria-hidden />
              Edit this
            </ButtonLink>
          </div>
        </div>
      )}
    </Dialog>
  );
}
