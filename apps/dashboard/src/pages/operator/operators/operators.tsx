import type { OperatorItem } from '@image-gateway/shared/user/schema';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useGet, useSend, useSession } from '../../../api/use-api.js';
import { Badge } from '../../../ui/badge.js';
import { Card } from '../../../ui/card.js';
import { Confirm } from '../../../ui/forms/action-form.js';
import { EMAIL, OWN_PASSWORD } from '../../../ui/forms/fields.js';
import { Secret } from '../../../ui/forms/secret.js';
import { Page } from '../../../ui/page.js';
import { Load } from '../../../ui/states.js';
import { Named, Table } from '../../../ui/table.js';

/** Users who run the gateway: who they are, a new one, and the end of one. */
export function Operators() {
  const query = useGet({ path: '/operator/operators' });
  const own = useSession().data?.user?.id;
  return (
    <Page
      title="Operators"
      lead="They see all accounts, money and settings, and change them. To add or remove one takes your password."
      actions={<AddOperator />}
    >
      <Card flush className="pt-3">
        <Load query={query}>
          {(operators) => (
            <Table
              caption="Operators"
              rows={operators}
              getKey={({ id }) => id}
              columns={[
                {
                  title: 'Operator',
                  cell: ({ id, email }) => (
                    <span className="grid justify-items-start gap-1">
                      <Named name={email} id={id} />
                      {id === own && <Badge tone="good">you</Badge>}
                    </span>
                  ),
                },
                { title: 'Sessions', from: 'sm', figure: ({ sessions }) => sessions },
                { title: 'Since', from: 'md', align: 'right', when: ({ created_at }) => created_at },
                {
                  title: 'Actions',
                  silent: true,
                  align: 'right',
                  cell: (operator) => (
                    <RemoveOperator
                      operator={operator}
                      isOnly={operators.length === 1}
                      isOwn={operator.id === own}
                    />
                  ),
                },
              ]}
            />
          )}
        </Load>
      </Card>
    </Page>
  );
}

/** Button that makes an operator, whose password is shown once. */
function AddOperator() {
  const send = useSend('/operator/operators', ['operator']);
  const [made, setMade] = useState<Readonly<Record<'email' | 'password', string>> | null>(null);
  return (
    <>
      <Confirm
        trigger="Add operator"
        icon={<UserPlus aria-hidden />}
        kind="primary"
        small={false}
        title="Add operator"
        note="The new operator may do everything that you may. A password is made and shown to you once; no mail is sent."
        verb="Add operator"
        fields={[{ ...EMAIL, label: 'E-mail address of the new operator' }, OWN_PASSWORD]}
        action={async (body) => setMade(await send.mutateAsync({ body }))}
      />
      <Secret
        text={made?.password ?? null}
        onClose={() => setMade(null)}
        title={`Password of ${made?.email ?? ''}`}
        note="It cannot be shown again. Hand it over by a safe way; the new operator changes it on the page “Settings”."
        copyLabel="Copy password"
      />
    </>
  );
}

function RemoveOperator({
  operator: { id, email },
  isOnly,
  isOwn,
}: Readonly<{ operator: OperatorItem; isOnly: boolean; isOwn: boolean }>) {
  const send = useSend('/operator/operators/:id/remove', ['operator', 'session']);
  if (isOnly) {
    return <span className="text-muted text-xs">The last one stays.</span>;
  }
  return (
    <Confirm
      trigger="Remove"
      title={`Remove ${email}?`}
      note={
        isOwn
          ? 'You are logged out at once, for good. The audit log keeps what you did.'
          : 'Logged out at once, everywhere and for good. The audit log keeps what this operator did.'
      }
      verb="Remove operator"
      fields={[OWN_PASSWORD]}
      action={(body) => send.mutateAsync({ params: { id }, body })}
    />
  );
}
