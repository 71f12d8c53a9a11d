import { ImageOff } from 'lucide-react';
import { useState } from 'react';
import { cx } from '../lib/cx.js';

/** Returns the name of the file that a result is saved as: its task and its place, such as `gen_abc-0.png`. */
export const nameFile = (url: string): string =>
  new URL(url, location.href).pathname.split('/').slice(-2).join('-');

/** Image of a task, or a placeholder when it cannot be shown. */
export function ResultImage({
  url,
  alt,
  className,
  onSize,
}: {
  readonly url: string;
  readonly alt: string;
  readonly className?: string;
  /** Called with the pixels of the image, once it is there. */
  readonly onSize?: (size: { readonly width: number; readonly height: number }) => void;
}) {
  const [isGone, setGone] = useState(false);
  if (isGone) {
    return (
      <span className={cx('grid place-items-center bg-sunken text-muted', className)}>
        <ImageOff aria-hidden className="size-4" />
        <span className="sr-only">{alt || 'Image'} cannot be shown</span>
      </span>
    );
  }
  return (
    <img
      src={url}
      alt={alt}
      loading="lazy"
      decoding="async"
      onError={() => setGone(true)}
      onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
        onSize?.({ width, height })
      }
      className={cx('bg-sunken object-cover', className)}
    />
  );
}
