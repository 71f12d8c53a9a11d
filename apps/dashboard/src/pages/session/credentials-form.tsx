import { useState } from 'react';
import { queryClient, SESSION_KEY } from '../../api/query-client.js';
import { useSend } from '../../api/use-api.js';
import { ActionForm } from '../../ui/forms/action-form.js';
import { NEW_PASSWORD } from '../../ui/forms/fields.js';
import { Notice } from '../../ui/states.js';

/** Form with an e-mail address and a password, for logging in, and for signing up and logging in afterwards. */
export function CredentialsForm({
  signsUp = false,
  confirms = false,
}: {
  readonly signsUp?: boolean;
  /** True where a mailed link creates the account. */
  readonly confirms?: boolean;
}) {
  const [signedUp, setSignedUp] = useState<string | null>(null);
  const signIn = useSend('/sign-in');
  const signUp = useSend('/sign-up');
  const isNew = signsUp && signedUp === null;
  if (confirms && signedUp !== null) {
    return <Notice kind="good">A mail is on its way to {signedUp}. Its link creates the account.</Notice>;
  }
  return (
    <ActionForm
      fields={[
        {
          name: 'email',
          label: 'E-mail',
          type: 'email',
          autoComplete: isNew ? 'email' : 'username',
          required: true,
        },
        isNew
          ? { ...NEW_PASSWORD, label: 'Password' }
          : {
              name: 'password',
              label: 'Password',
              type: 'password',
              autoComplete: 'current-password',
              required: true,
              maxLength: 128,
            },
      ]}
      action={async (body) => {
        if (isNew) {
          // The answer is the same for an address that has an account: only its password opens it.
          await signUp.mutateAsync({ body });
          setSignedUp(body.email);
        }
        await signIn.mutateAsync({ body });
        await queryClient.invalidateQueries({ queryKey: SESSION_KEY });
      }}
      keeps
      wide
      kind="primary"
      verb={isNew ? 'Create account' : 'Log in'}
      busyVerb="One moment…"
    >
      {signedUp !== null && signIn.isError && (
        <Notice kind="info">
          An address that had an account before keeps it, and its own password: log in with that one.
        </Notice>
      )}
    </ActionForm>
  );
}
