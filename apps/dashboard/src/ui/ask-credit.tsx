import { useState } from 'react';
import { ApiError } from '../api/request.js';
import { useSend, useSession } from '../api/use-api.js';
import { Confirm } from './forms/action-form.js';
import { ButtonAnchor } from './forms/button.js';
import { SupportLink } from './links.js';
import { ErrorNotice, Notice } from './states.js';

/** Ways to money, as a refusal for money offers them: the page for it where the gateway names one, and the operator. */
export function AskCredit() {
  const [isAsked, setAsked] = useState(false);
  const { support_url: support = null, top_up_url: topUp = null } = useSession().data ?? {};
  const send = useSend('/credit-requests');
  return (
    <span className="flex flex-wrap items-center gap-2">
      {topUp !== null && (
        <ButtonAnchor small href={topUp}>
          Top up
        </ButtonAnchor>
      )}
      <Confirm
        kind="plain"
        trigger="Ask for credit"
        title="Ask for credit"
        note="The operator of this gateway sees it, once a day."
        verb="Send"
        fields={[
          { name: 'amount', label: 'Dollars', hint: 'Optional.', inputMode: 'decimal', placeholder: '10.00' },
          { name: 'note', label: 'Note', hint: 'Optional: what it is for.', maxLength: 400 },
        ]}
        action={async (body) => {
          await send.mutateAsync({ body });
          setAsked(true);
        }}
      />
      {isAsked && <span role="status">The operator has your request.</span>}
      {support !== null && <SupportLink url={support} />}
    </span>
  );
}

/** Notice of the error of a submit; a refusal for money has the ways to it. */
export function SubmitError({ error }: { readonly error: unknown }) {
  const isAboutMoney = error instanceof ApiError && error.code === 'INSUFFICIENT_BALANCE';
  return isAboutMoney ? (
    <Notice kind="bad" action={<AskCredit />}>
      {error.message}
    </Notice>
  ) : (
    <ErrorNotice error={error} />
  );
}
