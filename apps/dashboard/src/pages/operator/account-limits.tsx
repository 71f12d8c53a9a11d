import type { AccountDetail } from '@image-gateway/shared/contract';
import { type FormEvent, useState } from 'react';
import { useSend } from '../../api/use-send.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/card.js';
import { ErrorNotice } from '../../ui/error-notice.js';
import { Notice } from '../../ui/notice.js';
import { TextField } from '../../ui/text-field.js';

const asText = (limit: number | null): string => (limit === null ? '' : String(limit));
const asLimit = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** What an account may do instead of what everybody may. */
export function AccountLimits({ account }: { readonly account: AccountDetail }) {
  const [open, setOpen] = useState(asText(account.max_open_tasks));
  const [rate, setRate] = useState(asText(account.key_requests_per_minute));
  const send = useSend('/operator/accounts/{id}/limits', ['operator']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = { max_open_tasks: asLimit(open), key_requests_per_minute: asLimit(rate) };
    send.mutate({ params: { id: account.id }, body });
  };
  return (
    <Card title="Limits" note="Empty: what the settings of the gateway say.">
      <form onSubmit={submit} className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Open tasks at most"
            type="number"
            min={1}
            max={1_000_000}
            value={open}
            onChange={(event) => setOpen(event.target.value)}
          />
          <TextField
            label="Requests a minute, each key"
            type="number"
            min={1}
            max={1_000_000}
            value={rate}
            onChange={(event) => setRate(event.target.value)}
          />
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
