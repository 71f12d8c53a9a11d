import { type FormEvent, useState } from 'react';
import { useSend } from '../../../api/use-send.js';
import { Button } from '../../../ui/forms/button.js';
import { Dialog } from '../../../ui/forms/dialog.js';
import { TextField } from '../../../ui/forms/text-field.js';
import { ErrorNotice } from '../../../ui/states/error-notice.js';

/** Button and window that give an account a user, or a user of it a password. */
export function SetLogIn({ accountId }: { readonly accountId: string }) {
  const [open, setOpen] = useState(false);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const send = useSend('/operator/accounts/:id/set-password', ['operator']);
  const close = (): void => {
    setOpen(false);
    setPassword('');
    send.reset();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate({ params: { id: accountId }, body: { email, password } }, { onSuccess: close });
  };
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        Set log-in
      </Button>
      <Dialog
        open={open}
        onClose={close}
        title="Set log-in"
        note="An address that nobody has becomes a user of this account. A user of this account gets the new password and is logged out everywhere. No mail is sent: tell them yourself."
      >
        <form onSubmit={submit} className="grid gap-4">
          <TextField
            label="E-mail address"
            type="email"
            autoComplete="off"
            required
            maxLength={254}
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
          <TextField
            label="Password"
            hint="At least 8 characters."
            type="password"
            autoComplete="new-password"
            required
            minLength={8}
            maxLength={128}
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
          {send.error && <ErrorNotice error={send.error} />}
          <div className="flex justify-end gap-2">
            <Button onClick={close}>Cancel</Button>
            <Button kind="primary" type="submit" disabled={send.isPending}>
              Set log-in
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
