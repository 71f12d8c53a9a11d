import { type FormEvent, useState } from 'react';
import { useSend } from '../../../api/use-send.js';
import { Card } from '../../../ui/card.js';
import { Button } from '../../../ui/forms/button.js';
import { SelectField } from '../../../ui/forms/select-field.js';
import { TextField } from '../../../ui/forms/text-field.js';
import { ErrorNotice } from '../../../ui/states/error-notice.js';
import { Notice } from '../../../ui/states/notice.js';

const KINDS = [
  ['credit', 'Credit: a payment'],
  ['adjust', 'Adjust: by hand'],
] as const;

/** Tops an account up or corrects its balance, with a reason for the books. */
export function MoneyForm({ accountId }: { readonly accountId: string }) {
  const [kind, setKind] = useState<'credit' | 'adjust'>('credit');
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const [reference, setReference] = useState('');
  // Kept until a response arrives: a retry after a lost response books the money once.
  const [ownReference, setOwnReference] = useState(newReference);
  const credit = useSend('/operator/accounts/:id/credit', ['operator']);
  const adjust = useSend('/operator/accounts/:id/adjust', ['operator']);
  const send = kind === 'credit' ? credit : adjust;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const params = { id: accountId };
    const onSuccess = (): void => {
      setAmount('');
      setReason('');
      setReference('');
      setOwnReference(newReference());
    };
    const body = { amount, reason, reference: reference.trim() === '' ? ownReference : reference };
    if (kind === 'adjust') {
      adjust.mutate({ params, body }, { onSuccess });
    } else {
      credit.mutate({ params, body }, { onSuccess });
    }
  };
  const isRepeat = kind === 'credit' ? credit.data?.credited === false : adjust.data?.adjusted === false;
  return (
    <Card title="Money">
      <form onSubmit={submit} className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField label="What" value={kind} options={KINDS} onChange={setKind} />
          <TextField
            label="Dollars"
            inputMode="decimal"
            required
            placeholder={kind === 'credit' ? '5.00' : '-1.00'}
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
          />
        </div>
        <TextField
          label="Reason"
          required
          maxLength={400}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <TextField
          label="Reference"
          hint="Optional, such as the number of a payment. The same reference is booked once."
          maxLength={200}
          value={reference}
          onChange={(event) => setReference(event.target.value)}
        />
        {send.error && <ErrorNotice error={send.error} />}
        {send.isSuccess && (
          <Notice kind="good">{isRepeat ? 'This was booked before; nothing has changed.' : 'Booked.'}</Notice>
        )}
        <div>
          <Button type="submit" disabled={send.isPending}>
            {kind === 'credit' ? 'Credit' : 'Adjust'}
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** Makes the reference of one filled-in form. `crypto.randomUUID` is missing on plain HTTP, so it is not used. */
function newReference(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `dashboard:${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
