import { Link, useNavigate } from '@tanstack/react-router';
import { Building2, Plus } from 'lucide-react';
import { useState } from 'react';
import { useGet, useSend } from '../../../api/use-api.js';
import { StatusBadge } from '../../../ui/badge.js';
import { Confirm } from '../../../ui/forms/action-form.js';
import { Check, EMAIL, Field } from '../../../ui/forms/fields.js';
import { Secret } from '../../../ui/forms/secret.js';
import { TasksLink } from '../../../ui/links.js';
import { Page } from '../../../ui/page.js';
import { PartTable, usePlaces } from '../../../ui/pager.js';
import { Empty } from '../../../ui/states.js';

/** All accounts, to be found by address or id. */
export function Accounts() {
  const places = usePlaces();
  const [wanted, setWanted] = useState('');
  const query = useGet({ path: '/operator/accounts', query: { before: places.before, q: wanted } });
  return (
    <Page title="Accounts" lead="Customers of this gateway, newest first." actions={<CreateAccount />}>
      <div className="max-w-md">
        <Field
          label="Search"
          type="search"
          placeholder="E-mail address or acc_…"
          value={wanted}
          onChange={(text) => {
            setWanted(text);
            places.reset();
          }}
        />
      </div>
      <PartTable
        caption="Accounts"
        query={query}
        places={places}
        empty={
          <Empty icon={Building2} title="No account fits">
            The search looks for a part of the address, or for a whole id.
          </Empty>
        }
        columns={[
          {
            title: 'Account',
            cell: ({ id, email }) => (
              <Link to="/operator/accounts/$id" params={{ id }} className="group block">
                <span className="break-all font-medium underline-offset-4 group-hover:underline">
                  {email}
                </span>
                <span className="block break-all font-mono text-muted text-xs">{id}</span>
              </Link>
            ),
          },
          {
            title: 'Tasks',
            from: 'md',
            align: 'right',
            cell: ({ id, tasks }) => (
              <span className="figures">
                <TasksLink search={{ account: id }}>{tasks.toLocaleString('en')}</TasksLink>
              </span>
            ),
          },
          { title: 'Since', from: 'lg', when: ({ created_at }) => created_at },
          { title: 'Balance', figure: ({ balance }) => balance },
          { title: 'State', align: 'right', cell: ({ status }) => <StatusBadge status={status} /> },
        ]}
      />
    </Page>
  );
}

/** Button that makes an account, and leads to its page. */
function CreateAccount() {
  const navigate = useNavigate();
  const send = useSend('/operator/accounts', ['operator']);
  const [made, setMade] = useState<Readonly<{ id: string; email: string; password: string }> | null>(null);
  const show = (id: string): void => void navigate({ to: '/operator/accounts/$id', params: { id } });
  return (
    <>
      <Confirm
        trigger="Create account"
        icon={<Plus aria-hidden />}
        kind="primary"
        small={false}
        title="Create account"
        note="No mail is sent: tell the customer yourself. Keys, limits and further credit are on the page of the account."
        verb="Create account"
        fields={[
          EMAIL,
          [
            { name: 'balance', label: 'Starting credit, in $', inputMode: 'decimal', placeholder: '0.00' },
            {
              name: 'reason',
              label: 'Reason of the credit',
              hint: 'For the books; the owner sees it.',
              maxLength: 400,
            },
          ],
        ]}
        action={async ({ email, balance, reason }, data) => {
          const given = reason.trim() === '' ? {} : { reason };
          const body = { email, balance, ...given, log_in: data.get('log_in') !== null };
          const { password, ...account } = await send.mutateAsync({ body });
          if (password === null) {
            show(account.id);
          } else {
            setMade({ ...account, password });
          }
        }}
      >
        <Check name="log_in" defaultChecked>
          Make a log-in, with a password that is shown once
        </Check>
      </Confirm>
      <Secret
        text={made?.password ?? null}
        onClose={() => {
          setMade(null);
          if (made) {
            show(made.id);
          }
        }}
        title={`Password of ${made?.email ?? ''}`}
        note="It cannot be shown again. The owner logs in with it and changes it on the page “Settings”."
        copyLabel="Copy password"
      />
    </>
  );
}
