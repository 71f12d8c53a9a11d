import { useState } from 'react';
import { useSend } from '../../api/use-api.js';
import { PlainPage } from '../../layout/plain-page.js';
import { ActionForm } from '../../ui/forms/action-form.js';
import { type FieldSpec, NEW_PASSWORD, OWN_PASSWORD } from '../../ui/forms/fields.js';
import { Notice } from '../../ui/states.js';
import { SessionLink } from './sign-in.js';

/** Page that asks for a mail with a link to set a new password. */
export function Forgot() {
  const send = useSend('/password/forgot');
  return (
    <MailedPage
      title="New password"
      lead="We mail a link to the address of your account."
      field={{ name: 'email', label: 'E-mail', type: 'email', autoComplete: 'username', required: true }}
      verb="Mail me a link"
      done="If this address has an account, a mail is on its way. Its link is good for an hour."
      action={({ email }) => send.mutateAsync({ body: { email } })}
    />
  );
}

/** Page of a mailed link that sets a new password. */
export function Reset() {
  const [token] = useState(readToken);
  const send = useSend('/password/reset');
  return (
    <MailedPage
      title="New password"
      lead="It replaces the one before and ends all sessions."
      field={NEW_PASSWORD}
      verb="Set password"
      done="Your password is set. Log in with it."
      action={({ password }) => send.mutateAsync({ body: { token, password } })}
    />
  );
}

/**
 * Page of a mailed link that confirms a sign-up. It asks for the password, which a stranger who signed up with the address has
 * chosen himself.
 */
export function ConfirmSignUp() {
  const [token] = useState(readToken);
  const send = useSend('/sign-up/confirm');
  return (
    <MailedPage
      title="Confirm your address"
      lead="Your account is created with it."
      field={{
        name: 'password',
        label: 'Password',
        hint: 'The one that you chose when you signed up.',
        type: 'password',
        autoComplete: 'current-password',
        required: true,
        maxLength: 128,
      }}
      verb="Confirm"
      done="Your account is there. Log in with the password that you chose."
      action={({ password }) => send.mutateAsync({ body: { token, password } })}
    />
  );
}

/** Page of a mailed link that confirms the new address of a log-in. It asks for the password, as that of a sign-up does. */
export function ConfirmEmail() {
  const [token] = useState(readToken);
  const send = useSend('/email/confirm');
  return (
    <MailedPage
      title="Confirm your new address"
      lead="It replaces the one before and ends all sessions."
      field={{ ...OWN_PASSWORD, hint: 'The one that you log in with.' }}
      verb="Confirm"
      done="Your new address is set. Log in with it."
      action={({ password }) => send.mutateAsync({ body: { token, password } })}
    />
  );
}

/** Returns the token of a mailed link, which is behind the `#` so that no server and no log sees it. */
const readToken = (): string => window.location.hash.slice(1);

function MailedPage<N extends 'email' | 'password'>({
  title,
  lead,
  field,
  verb,
  done,
  action,
}: Readonly<Record<'title' | 'lead' | 'verb' | 'done', string>> & {
  readonly field: FieldSpec<N>;
  readonly action: (values: Readonly<Record<N, string>>) => Promise<unknown>;
}) {
  const [isDone, setDone] = useState(false);
  return (
    <PlainPage title={title} lead={lead}>
      {isDone ? (
        <Notice kind="good">{done}</Notice>
      ) : (
        <ActionForm
          fields={[field]}
          action={action}
          wide
          kind="primary"
          verb={verb}
          onDone={() => setDone(true)}
        />
      )}
      <p className="text-muted text-sm">
        <SessionLink to="/">Log in</SessionLink>
      </p>
    </PlainPage>
  );
}
