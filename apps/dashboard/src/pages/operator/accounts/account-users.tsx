import type { AccountDetail } from '@image-gateway/shared/account/schema';
import { useState } from 'react';
import { useSend } from '../../../api/use-api.js';
import { Card } from '../../../ui/card.js';
import { Confirm } from '../../../ui/forms/action-form.js';
import { EMAIL, NEW_PASSWORD } from '../../../ui/forms/fields.js';
import { Secret } from '../../../ui/forms/secret.js';

/** Users of an account, a log-in for one that has none, and a new password for one who forgot it. */
export function AccountUsers({ account: { id: accountId, users } }: { readonly account: AccountDetail }) {
  const [made, setMade] = useState<string | null>(null);
  const set = useSend('/operator/accounts/:id/set-password', ['operator']);
  const reset = useSend('/operator/accounts/:id/users/:user/reset-password', ['operator']);
  const move = useSend('/operator/accounts/:id/users/:user/email', ['operator']);
  const setLogIn = (
    <Confirm
      kind="plain"
      trigger="Set log-in"
      title="Set log-in"
      note={
        <>
          An address that nobody has becomes a user of this account. A user of this account gets the new
          password and is logged out everywhere. No mail is sent: tell them yourself.
        </>
      }
      verb="Set log-in"
      fields={[EMAIL, { ...NEW_PASSWORD, label: 'Password' }]}
      action={(body) => set.mutateAsync({ params: { id: accountId }, body })}
    />
  );
  return (
    <Card title="Log-ins" action={setLogIn}>
      {users.length === 0 ? (
        <p className="text-muted text-sm">
          This account has no user: it was created without a log-in. Set one for who shall see these pages.
        </p>
      ) : (
        <ul className="grid gap-3">
          {users.map(({ id: user, email }) => (
            <li key={user} className="flex flex-wrap items-center justify-between gap-3 text-sm">
              <span className="break-all">{email}</span>
              <span className="flex flex-wrap gap-2">
                <Confirm
                  kind="plain"
                  trigger="Change e-mail"
                  title={`Another address for ${email}?`}
                  note="Nobody confirms it. The owner logs in with it from now on, and is logged out everywhere."
                  verb="Change address"
                  fields={[{ ...EMAIL, label: 'New e-mail address' }]}
                  action={(body) => move.mutateAsync({ params: { id: accountId, user }, body })}
                />
                <Confirm
                  trigger="Reset password"
                  title={`New password for ${email}?`}
                  note="Makes a new password, shown to you once, and logs the owner out everywhere. No mail is sent: tell them yourself."
                  verb="Make new password"
                  action={async () =>
                    setMade((await reset.mutateAsync({ params: { id: accountId, user } })).password)
                  }
                />
              </span>
            </li>
          ))}
        </ul>
      )}
      <Secret
        text={made}
        onClose={() => setMade(null)}
        title="The new password"
        note="It cannot be shown again."
        copyLabel="Copy password"
      />
    </Card>
  );
}
