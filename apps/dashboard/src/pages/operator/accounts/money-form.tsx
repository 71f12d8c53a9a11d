import type { AccountDetail } from '@image-gateway/shared/account/schema';
import { useState } from 'react';
import { useSend } from '../../../api/use-api.js';
import { dollars, roundDollars } from '../../../lib/figures.js';
import { Card } from '../../../ui/card.js';
import { ActionForm } from '../../../ui/forms/action-form.js';
import { Check } from '../../../ui/forms/fields.js';

const KINDS = [
  ['credit', 'Credit: a payment'],
  ['adjust', 'Adjust: by hand'],
] as const;

/** Dollars above which a booking is asked about once more. */
const ASKED_ABOVE = 100;

/** Tops an account up or corrects its balance, with a reason for the books. */
export function MoneyForm({ account: { id, email, balance } }: { readonly account: AccountDetail }) {
  const [kind, setKind] = useState('credit');
  // Kept until a response arrives: a retry after a lost response books the money once.
  const [ownReference, setOwnReference] = useState(newReference);
  const credit = useSend('/operator/accounts/:id/credit', ['operator']);
  const adjust = useSend('/operator/accounts/:id/adjust', ['operator']);
  return (
    <Card title="Money">
      <ActionForm
        fields={[
          [
            { name: 'kind', label: 'What', options: KINDS, value: kind, onChange: setKind },
            {
              name: 'amount',
              label: 'Dollars',
              inputMode: 'decimal',
              required: true,
              placeholder: kind === 'credit' ? '5.00' : '-1.00',
            },
          ],
          { name: 'reason', label: 'Reason', required: true, maxLength: 400 },
          {
            name: 'reference',
            label: 'Reference',
            hint: 'Optional, such as the number of a payment. The same reference is booked once.',
            maxLength: 200,
          },
        ]}
        verb={kind === 'credit' ? 'Credit' : 'Adjust'}
        ask={({ amount }) => {
          const moved = Number(amount.trim().replace(/^([+-]?)\$/, '$1'));
          const sum = roundDollars(dollars(balance) + moved);
          // Text that is no amount goes to the API, which says what is wrong with it.
          return Math.abs(moved) > ASKED_ABOVE
            ? {
                title: `Book ${roundDollars(moved)}?`,
                note: `To the account ${email}. Its balance is ${balance}, and will be ${sum}.`,
                verb: 'Book it',
              }
            : null;
        }}
        action={async ({ amount, reason, reference }, data) => {
          const body = { amount, reason, reference: reference.trim() === '' ? ownReference : reference };
          if (kind === 'adjust') {
            const shown = data.get('shown') !== null;
            const { adjusted, ...booked } = await adjust.mutateAsync({
              params: { id },
              body: { ...body, shown },
            });
            return { ...booked, isNew: adjusted };
          }
          const { credited, ...booked } = await credit.mutateAsync({ params: { id }, body });
          return { ...booked, isNew: credited };
        }}
        onDone={() => setOwnReference(newReference())}
        done={(booked) =>
          booked.isNew
            ? `${booked.amount} booked to ${email}. The balance is now ${booked.balance}.`
            : `This was booked before; nothing has changed. The balance is ${booked.balance}.`
        }
      >
        {kind === 'adjust' && <Check name="shown">Show reason and reference to the owner</Check>}
      </ActionForm>
    </Card>
  );
}

/** Makes the reference of one filled-in form. `crypto.randomUUID` is missing on plain HTTP, so it is not used. */
function newReference(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `dashboard:${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
