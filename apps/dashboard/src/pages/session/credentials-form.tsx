import { type FormEvent, useState } from 'react';
import { queryClient, SESSION_KEY } from '../../api/query-client.js';
import { useSend } from '../../api/use-send.js';
import { Button } from '../../ui/forms/button.js';
import { TextField } from '../../ui/forms/text-field.js';
import { ErrorNotice } from '../../ui/states/error-notice.js';
import { Notice } from '../../ui/states/notice.js';

/** Form with an e-mail address and a password, for logging in, and for signing up and logging in afterwards. */
export function CredentialsForm({
  signsUp = false,
  confirms = false,
}: {
  readonly signsUp?: boolean;
  /** True where a mailed link creates the account. */
  readonly confirms?: boolean;
}) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useSend('/sign-in');
  const signUp = useSend('/sign-up');
  const isNew = signsUp && !signUp.isSuccess;
  const send = isNew ? signUp : signIn;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const sent = { body: { email, password } };
    const logIn = (): void =>
      signIn.mutate(sent, {
        onSuccess: () => void queryClient.invalidateQueries({ queryKey: SESSION_KEY }),
      });
    if (isNew) {
      // The answer is the same for an address that has an account: only its password opens it.
      signUp.mutate(sent, { onSuccess: logIn });
    } else {
      logIn();
    }
  };
  if (confirms && signUp.isSuccess) {
    return <Notice kind="good">A mail is on its way to {email}. Its link creates the account.</Notice>;
  }
  return (
    <form onSubmit={submit} className="grid gap-4" noValidate={!isNew}>
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
      {signUp.isSuccess && signIn.isError && (
        <Notice kind="info">
          An address that had an account before keeps it, and its own password: log in with that one.
        </Notice>
      )}
      {send.error && <ErrorNotice error={send.error} />}
      <Button kind="primary" type="submit" disabled={signUp.isPending || signIn.isPending} className="mt-1">
        {signUp.isPending || signIn.isPending ? 'One moment…' : isNew ? 'Create account' : 'Log in'}
      </Button>
    </form>
  );
}
