import { type FormEvent, useState } from 'react';
import { queryClient, SESSION_KEY } from '../api/query-client.js';
import { useSend } from '../api/use-send.js';
import { Button } from '../ui/button.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { TextField } from '../ui/text-field.js';

/** The form with an e-mail address and a password, for logging in and for signing up. */
export function LogInForm({
  path,
  verb,
  isNew = false,
}: {
  readonly path: '/sign-in' | '/sign-up';
  readonly verb: string;
  readonly isNew?: boolean;
}) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const send = useSend(path);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate(
      { body: { email, password } },
      { onSuccess: () => void queryClient.invalidateQueries({ queryKey: SESSION_KEY }) },
    );
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label="E-mail"
        type="email"
        name="email"
        autoComplete={isNew ? 'email' : 'username'}
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label="Password"
        hint={isNew ? 'At least 8 characters.' : undefined}
        type="password"
        name="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        required
        minLength={isNew ? 8 : undefined}
        maxLength={128}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {send.error && <ErrorNotice error={send.error} />}
      <Button kind="primary" type="submit" disabled={send.isPending} className="mt-1">
        {send.isPending ? 'One moment…' : verb}
      </Button>
    </form>
  );
}
