import type { NewKeyView } from '@image-gateway/shared/contract';
import { Code } from '../../ui/code.js';
import { Button } from '../../ui/forms/button.js';
import { CopyButton } from '../../ui/forms/copy-button.js';
import { Dialog } from '../../ui/forms/dialog.js';

/** Shows a key that was just made, the one time that it can be shown. */
export function NewKey({
  made,
  onClose,
}: {
  readonly made: NewKeyView | null;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      open={made !== null}
      onClose={onClose}
      title="Your new key"
      note="Copy it now and keep it safe. It is not stored here and cannot be shown again."
    >
      <div className="grid gap-4">
        <Code block text={made?.key ?? ''} />
        <div className="flex justify-end gap-2">
          <CopyButton text={made?.key ?? ''} label="Copy key" />
          <Button small kind="primary" onClick={onClose}>
            I have it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
