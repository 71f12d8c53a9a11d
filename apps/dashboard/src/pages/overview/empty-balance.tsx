import { type FormEvent, useState } from 'react';
import { useSend } from '../../api/use-send.js';
import { useSession } from '../../api/use-session.js';
import { Button } from '../../ui/forms/button.js';
import { Dialog } from '../../ui/forms/dialog.js';
import { TextField } from '../../ui/forms/text-field.js';
import { ErrorNotice } from '../../ui/states/error-notice.js';
import { Notice } from '../../ui/states/notice.js';

/** Tells an owner that the balance is empty, and how it gets money: the operator is asked, or written to. */
export function EmptyBalance() {
  const [isOpen, setOpen] = useState(false);
  const [amount, setAmount] = useState('');
  const [note, setNote] = useState('');
  const support = useSession().data?.support_url ?? null;
  const send = useSend('/credit-requests');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate({ body: { amount, note } }, { onSuccess: () => setOpen(false) });
  };
  return (
    <Notice
      kind="info"
      action={
        !send.isSuccess && (
          <Button small onClick={() => setOpen(true)}>
            Ask for credit
          </Button>
        )
      }
    >
      The balance is empty: requests are refused until the operator of this gateway adds credit.{' '}
      {send.isSuccess && 'The operator has your request. '}
      {support !== null && (
        <a href={support} className="font-medium underline underline-offset-4">
          Contact the operator
        </a>
      )}
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Ask for credit"
        note="The operator of this gateway sees it, once a day."
      >
        <form onSubmit={submit} className="grid gap-4">
          <TextField
            label="Dollars"
            hint="Optional."
            inputMode="decimal"
            placeholder="10.00"
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
          />
          <TextField
            label="Note"
            hint="Optional: what it is for."
            maxLength={400}
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
          {send.error && <ErrorNotice error={send.error} />}
          <div className="flex justify-end gap-2">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button kind="primary" type="submit" disabled={send.isPending}>
              Send
            </Button>
          </div>
        </form>
      </Dialog>
    </Notice>
  );
}
