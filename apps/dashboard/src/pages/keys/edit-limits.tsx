import type { KeyItem } from '@image-gateway/shared/key/schema';
import { type FormEvent, useState } from 'react';
import { useSend } from '../../api/use-send.js';
import { Button } from '../../ui/forms/button.js';
import { Dialog } from '../../ui/forms/dialog.js';
import { ErrorNotice } from '../../ui/states/error-notice.js';
import { LimitFields, toBody, toDraft } from './limit-fields.js';

/** Button and window that change the limits of a key. */
export function EditLimits({ item }: { readonly item: KeyItem }) {
  const [open, setOpen] = useState(false);
  const [draft, setDraft] = useState(() => toDraft(item));
  const send = useSend('/keys/:id/limits', ['keys']);
  const show = (): void => {
    setDraft(toDraft(item));
    send.reset();
    setOpen(true);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate({ params: { id: item.id }, body: toBody(draft) }, { onSuccess: () => setOpen(false) });
  };
  return (
    <>
      <Button small onClick={show}>
        Limits
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={`Limits of ${item.name || item.prefix}`}
        note="They apply within five seconds. Caps count what tasks hold and cost, by the UTC day of their submit. A refund frees nothing."
      >
        <form onSubmit={submit} className="grid gap-4">
          <LimitFields draft={draft} onChange={setDraft} />
          {send.error && <ErrorNotice error={send.error} />}
          <div className="flex justify-end gap-2">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button kind="primary" type="submit" disabled={send.isPending}>
              Save limits
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
