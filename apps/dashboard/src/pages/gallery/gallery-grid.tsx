import type { GalleryImage } from '@image-gateway/shared/task/schema';
import { type KeyboardEvent, useRef, useState } from 'react';
import { ResultImage } from '../../ui/result-image.js';

/** Grid of images. Arrow keys, Home and End move in it, Enter opens; it is one stop of the Tab key. */
export function GalleryGrid({
  images,
  onOpen,
}: {
  readonly images: readonly GalleryImage[];
  readonly onOpen: (index: number) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState(0);
  const stop = Math.min(current, images.length - 1);
  const move = (event: KeyboardEvent): void => {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const next = findNext(event.key, stop, buttons);
    if (next !== null) {
      event.preventDefault();
      setCurrent(next);
      buttons[next]?.focus();
    }
  };
  return (
    <ul
      ref={list}
      aria-label="Images"
      className="grid grid-cols-2 gap-3 sm:grid-cols-3 sm:gap-4 lg:grid-cols-4"
    >
      {images.map((image, index) => (
        <li key={image.url}>
          <button
            type="button"
            tabIndex={index === stop ? 0 : -1}
            aria-label={`Image ${image.index + 1} of ${image.prompt.slice(0, 80) || image.task_id}`}
            onKeyDown={move}
            onFocus={() => setCurrent(index)}
            onClick={() => onOpen(index)}
            className="block w-full overflow-hidden rounded-xl border border-line transition hover:border-line-strong"
          >
            <ResultImage url={image.url} alt="" className="aspect-square w-full" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function findNext(key: string, from: number, buttons: readonly HTMLElement[]): number | null {
  const top = buttons[0]?.getBoundingClientRect().top;
  const columns = buttons.filter((button) => button.getBoundingClientRect().top === top).length;
  const targets: Readonly<Record<string, number>> = {
    ArrowLeft: from - 1,
    ArrowRight: from + 1,
    ArrowUp: from - columns,
    ArrowDown: from + columns,
    Home: 0,
    End: buttons.length - 1,
  };
  const target = targets[key];
  return target !== undefined && target >= 0 && target < buttons.length ? target : null;
}
