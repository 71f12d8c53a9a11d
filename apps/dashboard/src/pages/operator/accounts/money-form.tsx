import type { AccountDetail } from '@image-gateway/shared/account/schema';
import { type FormEvent, useState } from 'react';
import { useSend } from '../../../api/use-send.js';
import { dollars, roundDollars } from '../../../lib/dollars.js';
import { Card } from '../../../ui/card.js';
import { Button } from '../../../ui/forms/button.js';
import { Dialog } from '../../../ui/forms/dialog.js';
import { SelectField } from '../../../ui/forms/select-field.js';
import { TextField } from '../../../ui/forms/text-field.js';
import { ErrorNotice } from '../../../ui/states/error-notice.js';
import { Notice } from '../../../ui/states/notice.js';

const KINDS = [
  ['credit', 'Credit: a payment'],
  ['adjust', 'Adjust: by hand'],
] as const;

/** Dollars above which a booking is asked about once more. */
const ASKED_ABOVE = 100;

/** Tops an account up or corrects its balance, with a reason for the books. */
export function MoneyForm({
  account,
}: {
  readonly account: Pick<AccountDetail, 'id' | 'email' | 'balance'>;
}) {
  const [kind, setKind] = useState<'credit' | 'adjust'>('credit');
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const [reference, setReference] = useState('');
  // Kept until a response arrives: a retry after a lost response books the money once.
  const [ownReference, setOwnReference] = useState(newReference);
  const credit = useSend('/operator/accounts/:id/credit', ['operator']);
  const adjust = useSend('/operator/accounts/:id/adjust', ['operator']);
  const send = kind === 'credit' ? credit : adjust;
  const [isAsking, setAsking] = useState(false);
  const moved = Math.abs(Number(amount.trim().replace(/^([+-]?)\$/, '$1')));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // Text that is no amount goes to the API, which says what is wrong with it.
    if (moved > ASKED_ABOVE) {
      setAsking(true);
    } else {
      book();
    }
  };
  const book = (): void => {
    setAsking(false);
    const params = { id: account.id };
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
  const newBalance = dollars(account.balance) + (amount.trim().startsWith('-') ? -moved : moved);
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
        {send.data && (
          <Notice kind="good">
            {isRepeat
              ? `This was booked before; nothing has changed. The balance is ${send.data.balance}.`
              : `${send.data.amount} booked to ${account.email}. The balance is now ${send.data.balance}.`}
          </Notice>
        )}
        <div>
          <Button type="submit" disabled={send.isPending}>
            {kind === 'credit' ? 'Credit' : 'Adjust'}
          </Button>
        </div>
      </form>
      <Dialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={`Book ${roundDollars(amount.trim().startsWith('-') ? -moved : moved)}?`}
        note={`To the account ${account.email}. Its balance is ${account.balance}, and will be ${roundDollars(newBalance)}.`}
      >
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={() => setAsking(false)}>Cancel</Button>
          <Button kind="primary" onClick={book}>
            Book it
          </Button>
        </div>
      </Dialog>
    </Card>
  );
}

/** Makes the reference of one filled-in form. `crypto.randomUUID` is missing on plain HTTP, so it is not used. */
function newReference(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `dashboard:${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
