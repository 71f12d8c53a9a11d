import { type FormEvent, useState } from 'react';
import { useSend } from '../../api/use-send.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/card.js';
import { ErrorNotice } from '../../ui/error-notice.js';
import { Notice } from '../../ui/notice.js';
import { SelectField } from '../../ui/select-field.js';
import { TextField } from '../../ui/text-field.js';

const KINDS = [
  ['credit', 'Credit: a payment'],
  ['adjust', 'Adjust: by hand'],
] as const;

/** Tops an account up or corrects its balance, with a reason for the books. */
export function MoneyForm({ path }: { readonly path: string }) {
  const [kind, setKind] = useState<string>('credit');
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const [reference, setReference] = useState('');
  const send = useSend<{ credited?: boolean }>(['operator']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = { amount, reason, ...(kind === 'credit' && reference !== '' && { reference }) };
    send.mutate(
      { path: `${path}/${kind}`, body },
      {
        onSuccess: () => {
          setAmount('');
          setReason('');
          setReference('');
        },
      },
    );
  };
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
        {kind === 'credit' && (
          <TextField
            label="Reference of the payment"
            hint="Optional. The same reference is credited once."
            maxLength={200}
            value={reference}
            onChange={(event) => setReference(event.target.value)}
          />
        )}
        {send.error && <ErrorNotice error={send.error} />}
        {send.isSuccess && (
          <Notice kind="good">
            {send.data.credited === false
              ? 'This reference was credited before; nothing has changed.'
              : 'Booked.'}
          </Notice>
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
