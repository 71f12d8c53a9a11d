import { type ReactNode, useState } from 'react';
import { Code } from '../code.js';
import { Notice } from '../states.js';
import { Button } from './button.js';
import { CopyButton } from './copy-button.js';
import { Dialog } from './dialog.js';

/** Shows a secret the one time that it can be shown. Escape, the cross and a click beside it ask first: only "I have it" closes it. */
export function Secret({
  text,
  onClose,
  title,
  note,
  copyLabel,
}: {
  /** Null: nothing to show. */
  readonly text: string | null;
  readonly onClose: () => void;
  readonly title: string;
  readonly note: ReactNode;
  readonly copyLabel: string;
}) {
  const [isAsking, setAsking] = useState(false);
  const close = (): void => {
    setAsking(false);
    onClose();
  };
  return (
    <Dialog open={text !== null} onClose={() => setAsking(true)} title={title} note={note}>
      <div className="grid gap-4">
        <Code block text={text ?? ''} />
        {isAsking && (
          <Notice kind="bad">
            This cannot be shown again. Copy it first; the button “I have it” closes this window.
          </Notice>
        )}
        <div className="flex justify-end gap-2">
          <CopyButton text={text ?? ''} label={copyLabel} />
          <Button small kind="primary" onClick={close}>
            I have it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
