import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useSend } from '../../api/use-send.js';
import { PlainPage } from '../../layout/plain-page.js';
import { Button } from '../../ui/forms/button.js';
import { TextField } from '../../ui/forms/text-field.js';
import { ErrorNotice } from '../../ui/states/error-notice.js';
import { Notice } from '../../ui/states/notice.js';

/** Returns the token of a mailed link, which is behind the `#` so that no server and no log sees it. */
const readToken = (): string => window.location.hash.slice(1);

/** Page that asks for a mail with a link to set a new password. */
export function Forgot() {
  const [email, setEmail] = useState('');
  const send = useSend('/password/forgot');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate({ body: { email } });
  };
  return (
    <PlainPage title="New password" lead="We mail a link to the address of your account.">
      {send.isSuccess ? (
        <Notice kind="good">
          If this address has an account, a mail is on its way. Its link is good for an hour.
        </Notice>
      ) : (
        <form onSubmit={submit} className="grid gap-4">
          <TextField
            label="E-mail"
            type="email"
            name="email"
            autoComplete="username"
            required
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
          {send.error && <ErrorNotice error={send.error} />}
          <Button kind="primary" type="submit" disabled={send.isPending}>
            Mail me a link
          </Button>
        </form>
      )}
      <ToLogIn />
    </PlainPage>
  );
}

/** Page of a mailed link that sets a new password. */
export function Reset() {
  const [token] = useState(readToken);
  const [password, setPassword] = useState('');
  const send = useSend('/password/reset');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate({ body: { token, password } });
  };
  return (
    <PlainPage title="New password" lead="It replaces the one before and ends all sessions.">
      {send.isSuccess ? (
        <Notice kind="good">Your password is set. Log in with it.</Notice>
      ) : (
        <form onSubmit={submit} className="grid gap-4">
          <TextField
            label="New password"
            hint="At least 8 characters."
            type="password"
            name="password"
            autoComplete="new-password"
            required
            minLength={8}
            maxLength={128}
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
          {send.error && <ErrorNotice error={send.error} />}
          <Button kind="primary" type="submit" disabled={send.isPending}>
            Set password
          </Button>
        </form>
      )}
      <ToLogIn />
    </PlainPage>
  );
}

/**
 * Page of a mailed link that confirms a sign-up. It asks for the password, which a stranger who signed up with the address has
 * chosen himself.
 */
export function ConfirmSignUp() {
  const [token] = useState(readToken);
  const [password, setPassword] = useState('');
  const send = useSend('/sign-up/confirm');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate({ body: { token, password } });
  };
  return (
    <PlainPage title="Confirm your address" lead="Your account is created with it.">
      {send.isSuccess ? (
        <Notice kind="good">Your account is there. Log in with the password that you chose.</Notice>
      ) : (
        <form onSubmit={submit} className="grid gap-4">
          <TextField
            label="Password"
            hint="The one that you chose when you signed up."
            type="password"
            name="password"
            autoComplete="current-password"
            required
            maxLength={128}
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
          {send.error && <ErrorNotice error={send.error} />}
          <Button kind="primary" type="submit" disabled={send.isPending}>
            Confirm
          </Button>
        </form>
      )}
      <ToLogIn />
    </PlainPage>
  );
}

function ToLogIn() {
  return (
    <p className="text-muted text-sm">
      <Link to="/" className="font-medium text-ink underline underline-offset-4">
        Log in
      </Link>
    </p>
  );
}
