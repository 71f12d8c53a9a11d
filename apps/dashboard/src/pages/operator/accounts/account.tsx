import type { AccountDetail } from '@image-gateway/shared/account/schema';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../../api/api-error.js';
import { useGet } from '../../../api/use-get.js';
import { useSend } from '../../../api/use-send.js';
import { Card } from '../../../ui/card.js';
import { Confirm } from '../../../ui/forms/confirm.js';
import { CopyButton } from '../../../ui/forms/copy-button.js';
import { TextField } from '../../../ui/forms/text-field.js';
import { Page } from '../../../ui/page.js';
import { Stat } from '../../../ui/stat.js';
import { Load } from '../../../ui/states/load.js';
import { Notice } from '../../../ui/states/notice.js';
import { Stats } from '../../../ui/stats.js';
import { Time } from '../../../ui/time.js';
import { NotFound } from '../../not-found.js';
import { AccountKeys } from './account-keys.js';
import { AccountLimits } from './account-limits.js';
import { AccountUsers } from './account-users.js';
import { MoneyForm } from './money-form.js';
import { TransferTable } from './transfer-table.js';

/** One account: money, limits, users, and the actions of an operator. */
export function Account() {
  const { id = '' } = useParams({ strict: false });
  const query = useGet({ path: '/operator/accounts/:id', params: { id } });
  if (query.error instanceof ApiError && query.error.status === 404) {
    return <NotFound />;
  }
  return (
    <Page
      title={query.data?.email ?? 'Account'}
      lead={<span className="break-all font-mono text-sm">{id}</span>}
      actions={
        <>
          <CopyButton text={id} label="Copy id" />
          {query.data && <StatusChange account={query.data} />}
        </>
      }
    >
      <Load query={query} rows={8}>
        {(account) => (
          <>
            {account.status === 'suspended' && (
              <Notice kind="bad">
                This account is suspended: new requests are refused, accepted tasks go on, its owner can look
                and change nothing.{' '}
                {account.suspension_reason !== undefined && <>Reason: {account.suspension_reason}</>}
              </Notice>
            )}
            <CreditWish accountId={id} />
            <Stats label="Money and work">
              <Stat name="Balance" value={account.balance} note={`${account.available} available`} />
              <Stat name="Held" value={account.held} note={`for ${account.open_tasks} open tasks`} />
              <Stat name="Tasks" value={account.tasks.toLocaleString('en')} />
              <Stat name="Keys" value={account.keys.active} note={`${account.keys.total} ever made`} />
            </Stats>
            <div className="grid items-start gap-6 lg:grid-cols-2">
              <MoneyForm account={account} />
              <AccountLimits account={account} />
            </div>
            <AccountKeys accountId={id} />
            <AccountUsers accountId={id} users={account.users} />
            <Card title="Movements of money" note="The last fifty." flush>
              <TransferTable transfers={account.transfers} />
            </Card>
          </>
        )}
      </Load>
    </Page>
  );
}

/** Notice of the credit that the owner asks for, until something is credited. */
function CreditWish({ accountId }: { readonly accountId: string }) {
  const query = useGet({ path: '/operator/credit-requests', query: { account_id: accountId } });
  const [wish] = query.data ?? [];
  return (
    wish && (
      <Notice kind="info">
        {wish.email} asks for {wish.amount ?? 'credit'} (<Time iso={wish.created_at} />)
        {wish.note !== null && <>: {wish.note}</>}
      </Notice>
    )
  );
}

function StatusChange({ account }: { readonly account: AccountDetail }) {
  const { id } = account;
  const [reason, setReason] = useState('');
  const resume = useSend('/operator/accounts/:id/resume', ['operator']);
  const suspend = useSend('/operator/accounts/:id/suspend', ['operator']);
  return account.status === 'suspended' ? (
    <Confirm
      key="resume"
      kind="plain"
      trigger="Resume"
      title={`Resume ${account.email}?`}
      note="The account can send requests again at once."
      verb="Resume account"
      onConfirm={() => resume.mutateAsync({ params: { id } })}
    />
  ) : (
    <Confirm
      key="suspend"
      trigger="Suspend"
      title={`Suspend ${account.email}?`}
      note="New requests are refused within five seconds. Tasks that were accepted go on. The owner can log in and look at everything, and change nothing."
      verb="Suspend account"
      isReady={reason.trim() !== ''}
      onConfirm={() => suspend.mutateAsync({ params: { id }, body: { reason } })}
    >
      <TextField
        label="Reason"
        hint="The owner sees it."
        required
        maxLength={400}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </Confirm>
  );
}
