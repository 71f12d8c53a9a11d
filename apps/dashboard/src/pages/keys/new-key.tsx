import type { NewKeyView } from '@image-gateway/shared/key/schema';
import { Secret } from '../../ui/forms/secret.js';

/** Shows a key that was just made, the one time that it can be shown. */
export function NewKey({
  made,
  onClose,
}: {
  readonly made: NewKeyView | null;
  readonly onClose: () => void;
}) {
  return (
    <Secret
      text={made?.key ?? null}
      onClose={onClose}
      title="Your new key"
      note="Copy it now and keep it safe. It is not stored here and cannot be shown again."
      copyLabel="Copy key"
    />
  );
}
