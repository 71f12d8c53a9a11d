import type { AccountDetail } from '@image-gateway/shared/account/schema';
import {
  ACCOUNT_LIMITS,
  type AccountLimitName,
  describeLimit,
  listLimits,
} from '@image-gateway/shared/contract';
import { type FormEvent, useState } from 'react';
import { useSend } from '../../../api/use-send.js';
import { Card } from '../../../ui/card.js';
import { Button } from '../../../ui/forms/button.js';
import { TextField } from '../../../ui/forms/text-field.js';
import { ErrorNotice } from '../../../ui/states/error-notice.js';
import { Notice } from '../../../ui/states/notice.js';

/** Form for the limits of an account that replace the settings. It sends only the limits that were changed. */
export function AccountLimits({ account }: { readonly account: AccountDetail }) {
  const [changes, setChanges] = useState<Partial<Record<AccountLimitName, string>>>({});
  const send = useSend('/operator/accounts/:id/limits', ['operator']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate({ params: { id: account.id }, body: changes }, { onSuccess: () => setChanges({}) });
  };
  return (
    <Card title="Limits" note="Empty: what the settings of the gateway say.">
      <form onSubmit={submit} className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          {listLimits(ACCOUNT_LIMITS).map(([name, limit]) => (
            <TextField
              key={name}
              label={limit.label}
              hint={`${describeLimit(limit)}; replaces ${limit.setting}`}
              value={changes[name] ?? account.limits[name] ?? ''}
              onChange={(event) => setChanges({ ...changes, [name]: event.target.value })}
            />
          ))}
        </div>
        {send.error && <ErrorNotice error={send.error} />}
        {send.isSuccess && <Notice kind="good">Saved. It holds within five seconds.</Notice>}
        <div>
          <Button type="submit" disabled={send.isPending}>
            Save limits
          </Button>
        </div>
      </form>
    </Card>
  );
}
