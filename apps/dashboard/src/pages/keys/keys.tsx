import type { NewKeyView } from '@image-gateway/shared/key/schema';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../api/use-get.js';
import { Card } from '../../ui/card.js';
import { Button } from '../../ui/forms/button.js';
import { Page } from '../../ui/page.js';
import { Empty } from '../../ui/states/empty.js';
import { Load } from '../../ui/states/load.js';
import { CreateKey } from './create-key.js';
import { KeyTable } from './key-table.js';
import { NewKey } from './new-key.js';

/** The account's API keys: make, see, limit, replace, revoke. */
export function Keys() {
  const query = useGet({ path: '/keys' });
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<NewKeyView | null>(null);
  const create = (
    <Button kind="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden />
      Create key
    </Button>
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
              <KeyTable keys={keys} onMade={setMade} />
            )
          }
        </Load>
      </Card>
      <CreateKey
        open={isCreating}
        onClose={() => setCreating(false)}
        onMade={(key) => {
          setCreating(false);
          setMade(key);
        }}
      />
      <NewKey made={made} onClose={() => setMade(null)} />
    </Page>
  );
}
