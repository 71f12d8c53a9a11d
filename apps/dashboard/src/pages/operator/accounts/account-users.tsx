import type { AccountDetail } from '@image-gateway/shared/account/schema';
import { useState } from 'react';
import { useSend } from '../../../api/use-send.js';
import { Card } from '../../../ui/card.js';
import { Confirm } from '../../../ui/forms/confirm.js';
import { Secret } from '../../../ui/forms/secret.js';
import { SetLogIn } from './set-log-in.js';

/** Users of an account, and a new password for one who forgot it. */
export function AccountUsers({
  accountId,
  users,
}: {
  readonly accountId: string;
  readonly users: AccountDetail['users'];
}) {
  const [made, setMade] = useState<string | null>(null);
  const send = useSend('/operator/accounts/:id/users/:user/reset-password', ['operator']);
  const reset = async (user: string): Promise<void> => {
    const { password } = await send.mutateAsync({ params: { id: accountId, user } });
    setMade(password);
  };
  return (
    <Card title="Log-ins" action={<SetLogIn accountId={accountId} />}>
      {users.length === 0 ? (
        <p className="text-muted text-sm">
          This account has no user: it was created on the command line without a password. Set a log-in to
          give it one.
        </p>
      ) : (
        <ul className="grid gap-3">
          {users.map(({ id, email }) => (
            <li key={id} className="flex flex-wrap items-center justify-between gap-3 text-sm">
              <span className="break-all">{email}</span>
              <Confirm
                trigger="Reset password"
                title={`New password for ${email}?`}
                note="Makes a new password, shown to you once, and logs the owner out everywhere. No mail is sent: tell them yourself."
                verb="Make new password"
                onConfirm={() => reset(id)}
              />
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
