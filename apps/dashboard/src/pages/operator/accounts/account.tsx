import type { AccountDetail } from '@image-gateway/shared/account/schema';
import { ACCOUNT_LIMITS, listLimits } from '@image-gateway/shared/contract';
import type { NewKeyView } from '@image-gateway/shared/key/schema';
import { useParams } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useGet, useSend } from '../../../api/use-api.js';
import { formatMoney } from '../../../lib/figures.js';
import { Card } from '../../../ui/card.js';
import { ActionForm, Confirm } from '../../../ui/forms/action-form.js';
import { CopyButton } from '../../../ui/forms/copy-button.js';
import { TasksLink } from '../../../ui/links.js';
import { Page } from '../../../ui/page.js';
import { Empty, Load, Notice, UnknownId } from '../../../ui/states.js';
import { Stat, Stats } from '../../../ui/stats.js';
import { Time } from '../../../ui/time.js';
import { CreateKey, EditLimits, KeyTable, NewKey } from '../../keys/key-table.js';
import { AccountUsers } from './account-users.js';
import { MoneyForm } from './money-form.js';
import { Movements } from './movements.js';

/** One account: money, limits, users, and the actions of an operator. */
export function Account() {
  const { id = '' } = useParams({ strict: false });
  const query = useGet({ path: '/operator/accounts/:id', params: { id } });
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
      <Load query={query} rows={8} missing={<UnknownId of="account" />}>
        {(account) => <Content account={account} />}
      </Load>
    </Page>
  );
}

function Content({ account }: { readonly account: AccountDetail }) {
  const { id, keys } = account;
  return (
    <>
      {account.status === 'suspended' && (
        <Notice kind="bad">
          This account is suspended: new requests are refused, accepted tasks go on, its owner can look and
          change nothing.{' '}
          {account.suspension_reason !== undefined && <>Reason: {account.suspension_reason}</>}
        </Notice>
      )}
      <OpenCreditRequest accountId={id} />
      <Stats label="Money and work">
        <Stat name="Balance" value={account.balance} note={`${account.available} available`} />
        <Stat
          name="Held"
          value={account.held}
          note={
            <TasksLink search={{ account: id, status: 'pending' }}>
              for {account.open_tasks} open tasks
            </TasksLink>
          }
        />
        <Stat
          name="Tasks"
          value={<TasksLink search={{ account: id }}>{account.tasks.toLocaleString('en')}</TasksLink>}
          note={<TasksLink search={{ account: id, status: 'failed' }}>the failed ones</TasksLink>}
        />
        <Stat name="Keys" value={keys.active} note={`${keys.total} ever made`} />
      </Stats>
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <MoneyForm account={account} />
        <AccountLimits account={account} />
      </div>
      <AccountKeys accountId={id} />
      <AccountUsers account={account} />
      <Movements accountId={id} />
    </>
  );
}

/** Notice of the credit that the owner asks for, until something is credited. */
function OpenCreditRequest({ accountId }: { readonly accountId: string }) {
  const query = useGet({ path: '/operator/credit-requests', query: { account_id: accountId } });
  const [wish] = query.data ?? [];
  return (
    wish && (
      <Notice kind="info">
        {wish.email} asks for {formatMoney(wish.amount ?? 'credit')} (<Time iso={wish.created_at} />)
        {wish.note !== null && <>: {wish.note}</>}
      </Notice>
    )
  );
}

function StatusChange({ account: { id, email, status } }: { readonly account: AccountDetail }) {
  const params = { id };
  const resume = useSend('/operator/accounts/:id/resume', ['operator']);
  const suspend = useSend('/operator/accounts/:id/suspend', ['operator']);
  return status === 'suspended' ? (
    <Confirm
      key="resume"
      kind="plain"
      trigger="Resume"
      title={`Resume ${email}?`}
      note="The account can send requests again at once."
      verb="Resume account"
      action={() => resume.mutateAsync({ params })}
    />
  ) : (
    <Confirm
      key="suspend"
      trigger="Suspend"
      title={`Suspend ${email}?`}
      note={
        <>
          New requests are refused within five seconds. Tasks that were accepted go on. The owner can log in
          and look at everything, and change nothing.
        </>
      }
      verb="Suspend account"
      fields={[
        { name: 'reason', label: 'Reason', hint: 'The owner sees it.', required: true, maxLength: 400 },
      ]}
      action={({ reason }) => suspend.mutateAsync({ params, body: { reason } })}
    />
  );
}

/** Form for the limits of an account that replace the settings. It sends only the limits that were changed. */
function AccountLimits({ account: { id, limits, settings } }: { readonly account: AccountDetail }) {
  const send = useSend('/operator/accounts/:id/limits', ['operator']);
  const entries = listLimits(ACCOUNT_LIMITS);
  return (
    <Card
      title="Limits"
      note="A number, or count/seconds such as 600/60 for what is counted in a span of time. Empty: the setting of the gateway holds."
    >
      <ActionForm
        fields={[
          entries.map(([name, { label, setting }]) => {
            const general = settings[name] ?? 'no limit';
            return {
              name,
              label,
              hint: `In force: ${limits[name] ?? general} ${limits[name] === null ? `(${setting})` : `instead of ${general}`}`,
              placeholder: general,
              defaultValue: String(limits[name] ?? ''),
            };
          }),
        ]}
        verb="Save limits"
        done="Saved. It holds within five seconds."
        action={(values) => {
          const changed = entries.filter(([name]) => values[name] !== String(limits[name] ?? ''));
          const body = Object.fromEntries(changed.map(([name]) => [name, values[name]]));
          return send.mutateAsync({ params: { id }, body });
        }}
      />
    </Card>
  );
}

/** Keys of an account, which operators make, limit, replace and revoke when their owner can't. */
function AccountKeys({ accountId: id }: { readonly accountId: string }) {
  const params = { id };
  const query = useGet({ path: '/operator/accounts/:id/keys', params });
  const make = useSend('/operator/accounts/:id/keys', ['operator']);
  const limit = useSend('/operator/accounts/:id/keys/:key/limits', ['operator']);
  const revoke = useSend('/operator/accounts/:id/keys/:key/revoke', ['operator']);
  const rotate = useSend('/operator/accounts/:id/keys/:key/rotate', ['operator']);
  const [made, setMade] = useState<NewKeyView | null>(null);
  const create = (
    <CreateKey
      of="operator"
      small
      onCreate={async (body) => setMade(await make.mutateAsync({ params, body }))}
    />
  );
  return (
    <Card title="Keys" action={create} flush>
      <Load query={query}>
        {(keys) =>
          keys.length === 0 ? (
            <Empty icon={KeyRound} title="No keys">
              The owner makes keys on the page “Keys”. One that you make here is shown to you once: hand it
              over by a safe way.
            </Empty>
          ) : (
            <KeyTable
              keys={keys}
              onRevoke={({ id: key }) => revoke.mutateAsync({ params: { id, key } })}
              onRotate={async ({ id: key }, grace_hours) =>
                setMade(await rotate.mutateAsync({ params: { id, key }, body: { grace_hours } }))
              }
              edit={(item) => (
                <EditLimits
                  of="operator"
                  item={item}
                  onSave={(body) => limit.mutateAsync({ params: { id, key: item.id }, body })}
                />
              )}
            />
          )
        }
      </Load>
      <NewKey made={made} onClose={() => setMade(null)} />
    </Card>
  );
}
