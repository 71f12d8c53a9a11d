import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../../lib/cx.js';
import { tidyPart } from '../../lib/figures.js';

const FADE = 'data-[ending-style]:opacity-0 data-[starting-style]:opacity-0';

/** A window over the page; it holds the focus, Escape closes it. */
export function Dialog({
  open,
  onClose,
  title,
  note,
  wide = false,
  children,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly note?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={cx('fixed inset-0 z-40 bg-black/45 transition-opacity', FADE)} />
        <Base.Viewport
          className={cx(
            'fixed inset-0 z-50 grid items-end justify-items-center overflow-y-auto p-3',
            'sm:place-items-center sm:p-6',
          )}
        >
          <Base.Popup
            // Its own form is sent, and not the one that it belongs to in React.
            onSubmit={(event) => event.stopPropagation()}
            className={cx(
              'w-full rounded-2xl border border-line bg-surface p-5 shadow-2xl transition sm:p-6',
              'data-[ending-style]:translate-y-2 data-[starting-style]:translate-y-2',
              FADE,
              wide ? 'max-w-3xl' : 'max-w-lg',
            )}
          >
            <div className="mb-5 flex items-start justify-between gap-4">
              <div className="min-w-0">
                <Base.Title className="font-semibold text-lg tracking-tight">{title}</Base.Title>
                {note !== undefined && (
                  <Base.Description className="mt-1 text-pretty text-muted text-sm">
                    {tidyPart(note)}
                  </Base.Description>
                )}
              </div>
              <Base.Close
                aria-label="Close"
                className="-m-1.5 grid size-9 shrink-0 place-items-center rounded-lg text-muted hover:bg-sunken hover:text-ink"
              >
                <X aria-hidden className="size-4.5" />
              </Base.Close>
            </div>
            {children}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
