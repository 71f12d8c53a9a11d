import type { ManagedProvider } from '@image-gateway/shared/provider/schema';
import { useState } from 'react';
import { useSend } from '../../../api/use-api.js';
import { ActionForm } from '../../../ui/forms/action-form.js';
import { Button } from '../../../ui/forms/button.js';
import { OWN_PASSWORD } from '../../../ui/forms/fields.js';
import { ErrorNotice, Notice } from '../../../ui/states.js';
import { Time } from '../../../ui/time.js';

/** Form that sets, replaces and removes the stored keys of a provider; it asks for the password of the operator. */
export function ProviderKeyForm({
  provider,
  canStore,
  canTry,
}: Readonly<{ provider: ManagedProvider; canStore: boolean; canTry: boolean }>) {
  const { name, key_variable, key_source, stored } = provider;
  const [round, setRound] = useState(0);
  const [pasted, setPasted] = useState('');
  const [password, setPassword] = useState('');
  const set = useSend('/operator/models/providers/:name/key', ['operator']);
  const remove = useSend('/operator/models/providers/:name/key/remove', ['operator']);
  const forget = (): void => {
    setPasted('');
    setPassword('');
  };
  const empty = (): void => {
    forget();
    setRound(round + 1);
  };
  const takeAway = (): void => {
    set.reset();
    remove.mutate({ params: { name }, body: { password } }, { onSuccess: empty });
  };
  if (key_variable === null) {
    return <p className="text-sm">This provider takes no key.</p>;
  }
  return (
    <section className="grid gap-4" aria-label="Key">
      <h3 className="font-semibold text-sm">Key</h3>
      {key_source === 'environment' && (
        <Notice kind="info">
          {key_variable} is set in the environment of the generation workers and wins. A stored key is used
          once it is removed there.
        </Notice>
      )}
      {stored && (
        <p className="text-sm">
          Stored: ends with {stored.last_four || '…'}, set by {stored.by} <Time iso={stored.since} /> for{' '}
          {stored.address}, {stored.tested ? 'accepted by the provider' : 'not tested'}.
        </p>
      )}
      {canStore ? (
        <ActionForm
          key={round}
          fields={[
            [
              {
                name: 'keys',
                label: stored ? 'New key' : 'Key',
                type: 'password',
                required: true,
                autoComplete: 'off',
                spellCheck: false,
                hint: 'Several are separated by commas or line ends. The JSON file of a service account is one key.',
                onPaste: (event) => {
                  const text = event.clipboardData.getData('text');
                  // The field drops the line ends and makes one key of several.
                  if (/[\r\n]/.test(text)) {
                    event.preventDefault();
                    event.currentTarget.value = text;
                    setPasted(text);
                  }
                },
              },
              { ...OWN_PASSWORD, hint: stored ? 'Also needed to remove the key.' : undefined },
            ],
          ]}
          onEdit={(data) => setPassword(String(data.get('password')))}
          action={(values) => {
            remove.reset();
            const isPasted = values.keys === pasted.replace(/[\r\n]/g, '');
            const body = { ...values, keys: isPasted ? pasted : values.keys };
            return set.mutateAsync({ params: { name }, body });
          }}
          onDone={forget}
          kind="primary"
          verb={stored ? 'Replace key' : 'Set key'}
          busyVerb="Trying the key…"
          isReady={!remove.isPending}
          buttons={
            stored && (
              <Button
                kind="danger"
                disabled={set.isPending || remove.isPending || password === ''}
                onClick={takeAway}
              >
                Remove key
              </Button>
            )
          }
        >
          {!canTry && (
            <Notice kind="info">No generation worker runs: the key is kept without being tried.</Notice>
          )}
          {remove.error && <ErrorNotice error={remove.error} />}
          {set.data && (
            <Notice kind={set.data.tested ? 'good' : 'info'}>
              {set.data.tested
                ? 'The provider accepts the key.'
                : `The key is kept and not tested: ${set.data.reason}.`}{' '}
              Generation workers use it within 5 seconds.
            </Notice>
          )}
          {remove.data && (
            <Notice kind="good">
              The key is removed. Within 5 seconds generation workers submit nothing with it; they keep it for
              the jobs that it submitted until these have ended.
            </Notice>
          )}
        </ActionForm>
      ) : (
        <Notice kind="info">
          ENCRYPTION_KEY is not set, so keys come from the environment only: {key_variable} of the generation
          workers.
        </Notice>
      )}
    </section>
  );
}
