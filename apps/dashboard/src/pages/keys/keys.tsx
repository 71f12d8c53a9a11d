import type { NewKeyView } from '@image-gateway/shared/key/schema';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useGet, useSend } from '../../api/use-api.js';
import { Card } from '../../ui/card.js';
import { Confirm } from '../../ui/forms/action-form.js';
import { Fields } from '../../ui/forms/fields.js';
import { Page } from '../../ui/page.js';
import { Empty, Load } from '../../ui/states.js';
import { EditLimits, KeyTable, NewKey } from './key-table.js';
import { toLimits, useLimitFields } from './limit-fields.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const ENDS = [
  ['', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const;

/** The account's API keys: make, see, limit, replace, revoke. */
export function Keys() {
  const query = useGet({ path: '/keys' });
  const revoke = useSend('/keys/:id/revoke', ['keys', 'overview']);
  const rotate = useSend('/keys/:id/rotate', ['keys']);
  const [made, setMade] = useState<NewKeyView | null>(null);
  const create = <CreateKey onMade={setMade} />;
  return (
    <Page
      title="Keys"
      lead="A program shows its key with every request. Give each program its own, so that you can replace one without the others."
      actions={create}
    >
      <Card flush>
        <Load query={query}>
          {(keys) =>
            keys.length === 0 ? (
              <Empty icon={KeyRound} title="No keys yet" action={create}>
                Make one to call the API. It is shown once, so have a safe place for it ready.
              </Empty>
            ) : (
              <KeyTable
                keys={keys}
                onRevoke={({ id }) => revoke.mutateAsync({ params: { id } })}
                onRotate={async ({ id }, grace_hours) =>
                  setMade(await rotate.mutateAsync({ params: { id }, body: { grace_hours } }))
                }
                edit={(key) => <EditLimits item={key} />}
              />
            )
          }
        </Load>
      </Card>
      <NewKey made={made} onClose={() => setMade(null)} />
    </Page>
  );
}

/** Button that makes a key. */
function CreateKey({ onMade }: { readonly onMade: (key: NewKeyView) => void }) {
  const send = useSend('/keys', ['keys', 'overview']);
  const { caps, others } = useLimitFields();
  return (
    <Confirm
      trigger="Create key"
      icon={<Plus aria-hidden />}
      kind="primary"
      small={false}
      title="Create key"
      note="The key is shown once, right after this."
      verb="Create key"
      fields={[
        {
          name: 'name',
          label: 'Name',
          hint: 'What you will know it by, such as the program that uses it.',
          placeholder: 'production',
          maxLength: 100,
        },
        { name: 'days', label: 'Expires', options: ENDS },
      ]}
      action={async ({ name, days }, data) => {
        const expires_at = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
        onMade(await send.mutateAsync({ body: { name, expires_at, limits: toLimits(data) } }));
      }}
    >
      <details>
        <summary className="font-medium text-sm">Limits</summary>
        <div className="mt-4 grid gap-4">
          <div className="grid gap-4 sm:grid-cols-3">
            <Fields fields={caps} />
          </div>
          <Fields fields={others} />
        </div>
      </details>
    </Confirm>
  );
}
