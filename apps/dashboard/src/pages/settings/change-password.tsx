import { type FormEvent, useState } from 'react';
import { useSend } from '../../api/use-send.js';
import { Card } from '../../ui/card.js';
import { Button } from '../../ui/forms/button.js';
import { TextField } from '../../ui/forms/text-field.js';
import { ErrorNotice } from '../../ui/states/error-notice.js';
import { Notice } from '../../ui/states/notice.js';

/** Changes the password; every other browser is logged out. */
export function ChangePassword() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const send = useSend('/password', ['sessions']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate(
      { body: { current, next } },
      {
        onSuccess: () => {
          setCurrent('');
          setNext('');
        },
      },
    );
  };
  return (
    <Card title="Password" note="Changing it logs you out everywhere else.">
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <TextField
          label="New password"
          hint="At least 8 characters."
          type="password"
          autoComplete="new-password"
          required
          minLength={8}
          maxLength={128}
          value={next}
          onChange={(event) => setNext(event.target.value)}
        />
        {send.error && <ErrorNotice error={send.error} />}
        {send.isSuccess && <Notice kind="good">The password has been changed.</Notice>}
        <div>
          <Button type="submit" disabled={send.isPending}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  );
}
