import { type ReactNode, useState } from 'react';
import { ErrorNotice } from '../states/error-notice.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';

/** A button that asks before it does something that cannot be undone easily. */
export function Confirm({
  trigger,
  title,
  note,
  verb,
  onConfirm,
  kind = 'danger',
  small = true,
  icon,
  isReady = true,
  children,
}: {
  readonly trigger: string;
  readonly title: string;
  readonly note: ReactNode;
  readonly verb: string;
  /** Rejects with the error that the dialog shows. */
  readonly onConfirm: () => Promise<unknown>;
  readonly kind?: 'danger' | 'plain' | 'quiet';
  readonly small?: boolean;
  readonly icon?: ReactNode;
  /** False while what stands in the window is not complete. */
  readonly isReady?: boolean;
  readonly children?: ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const confirm = (): void => {
    setBusy(true);
    setError(null);
    onConfirm()
      .then(() => setOpen(false), setError)
      .finally(() => setBusy(false));
  };
  return (
    <>
      <Button small={small} kind={kind} onClick={() => setOpen(true)}>
        {icon}
        {trigger}
      </Button>
      <Dialog
        open={open}
        onClose={() => {
          setOpen(false);
          setError(null);
        }}
        title={title}
        note={note}
      >
        <div className="grid gap-4">
          {children}
          {error !== null && <ErrorNotice error={error} />}
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button
              kind={kind === 'danger' ? 'danger' : 'primary'}
              disabled={busy || !isReady}
              onClick={confirm}
            >
              {verb}
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  );
}
