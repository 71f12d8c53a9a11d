import type { NewKeyView } from '@image-gateway/shared/key/schema';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../../api/use-get.js';
import { useSend } from '../../../api/use-send.js';
import { Card } from '../../../ui/card.js';
import { Empty } from '../../../ui/states/empty.js';
import { Load } from '../../../ui/states/load.js';
import { KeyList } from '../../keys/key-table.js';
import { NewKey } from '../../keys/new-key.js';

/** Keys of an account, which an operator may revoke, and rotate when their owner can't. */
export function AccountKeys({ accountId }: { readonly accountId: string }) {
  const query = useGet({ path: '/operator/accounts/:id/keys', params: { id: accountId } });
  const revoke = useSend('/operator/accounts/:id/keys/:key/revoke', ['operator']);
  const rotate = useSend('/operator/accounts/:id/keys/:key/rotate', ['operator']);
  const [made, setMade] = useState<NewKeyView | null>(null);
  return (
    <Card title="Keys" flush>
      <Load query={query}>
        {(keys) =>
          keys.length === 0 ? (
            <Empty icon={KeyRound} title="No keys">
              The owner makes keys on the page “Keys”, and you with: gateway key create.
            </Empty>
          ) : (
            <KeyList
              keys={keys}
              onRevoke={({ id: key }) => revoke.mutateAsync({ params: { id: accountId, key } })}
              onRotate={async ({ id: key }, grace_hours) =>
                setMade(await rotate.mutateAsync({ params: { id: accountId, key }, body: { grace_hours } }))
              }
            />
          )
        }
      </Load>
      <NewKey made={made} onClose={() => setMade(null)} />
    </Card>
  );
}
