import type { NewKeyView } from '@image-gateway/shared/key/schema';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useGet, useSend } from '../../api/use-api.js';
import { Card } from '../../ui/card.js';
import { Page } from '../../ui/page.js';
import { Empty, Load } from '../../ui/states.js';
import { CreateKey, EditLimits, KeyTable, NewKey } from './key-table.js';

/** The account's API keys: make, see, limit, replace, revoke. */
export function Keys() {
  const query = useGet({ path: '/keys' });
  const revoke = useSend('/keys/:id/revoke', ['keys', 'overview']);
  const rotate = useSend('/keys/:id/rotate', ['keys']);
  const [made, setMade] = useState<NewKeyView | null>(null);
  const make = useSend('/keys', ['keys', 'overview']);
  const limit = useSend('/keys/:id/limits', ['keys']);
  const create = (
    <CreateKey of="owner" onCreate={async (body) => setMade(await make.mutateAsync({ body }))} />
  );
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
                edit={(key) => (
                  <EditLimits
                    of="owner"
                    item={key}
                    onSave={(body) => limit.mutateAsync({ params: { id: key.id }, body })}
                  />
                )}
              />
            )
          }
        </Load>
      </Card>
      <NewKey made={made} onClose={() => setMade(null)} />
    </Page>
  );
}
