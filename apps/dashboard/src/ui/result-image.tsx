import { ImageOff } from 'lucide-react';
import { useState } from 'react';
import { cx } from '../lib/cx.js';

/** A picture of a task; a place for one that cannot be shown. */
export function ResultImage({
  url,
  alt,
  className,
}: {
  readonly url: string;
  readonly alt: string;
  readonly className?: string;
}) {
  const [isGone, setGone] = useState(false);
  if (isGone)
    return (
      <span className={cx('grid place-items-center bg-sunken text-muted', className)}>
        <ImageOff aria-hidden className="size-4" />
        <span className="sr-only">{alt || 'Picture'} cannot be shown</span>
      </span>
    );
  return (
    <img
      src={url}
      alt={alt}
      loading="lazy"
      decoding="async"
      onError={() => setGone(true)}
      className={cx('bg-sunken object-cover', className)}
    />
  );
}
