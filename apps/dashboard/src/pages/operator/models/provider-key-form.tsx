import type { ManagedProvider } from '@image-gateway/shared/provider/schema';
import { type FormEvent, useState } from 'react';
import { useSend } from '../../../api/use-send.js';
import { Button } from '../../../ui/forms/button.js';
import { TextField } from '../../../ui/forms/text-field.js';
import { ErrorNotice } from '../../../ui/states/error-notice.js';
import { Notice } from '../../../ui/states/notice.js';
import { Time } from '../../../ui/time.js';

/** Form that sets, replaces and removes the stored keys of a provider; it asks for the password of the operator. */
export function ProviderKeyForm({
  provider,
  canStore,
  canTry,
}: {
  readonly provider: ManagedProvider;
  readonly canStore: boolean;
  readonly canTry: boolean;
}) {
  const { name, key_variable, key_source, stored } = provider;
  const [keys, setKeys] = useState('');
  const [password, setPassword] = useState('');
  const set = useSend('/operator/models/providers/:name/key', ['operator']);
  const remove = useSend('/operator/models/providers/:name/key/remove', ['operator']);
  const busy = set.isPending || remove.isPending;
  const forget = (): void => {
    setKeys('');
    setPassword('');
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    remove.reset();
    set.mutate({ params: { name }, body: { keys, password } }, { onSuccess: forget });
  };
  const takeAway = (): void => {
    set.reset();
    remove.mutate({ params: { name }, body: { password } }, { onSuccess: forget });
  };
  if (key_variable === null) {
    return <p className="text-sm">This provider takes no key.</p>;
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
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
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label={stored ? 'New key' : 'Key'}
              type="password"
              required
              autoComplete="off"
              spellCheck={false}
              hint="Several are separated by commas or line ends. The JSON file of a service account is one key."
              value={keys}
              onChange={(event) => setKeys(event.target.value)}
              onPaste={(event) => {
                const text = event.clipboardData.getData('text');
                // The field would drop the line ends and make one key of several.
                if (/[\r\n]/.test(text)) {
                  event.preventDefault();
                  setKeys(text);
                }
              }}
            />
            <TextField
              label="Your password"
              type="password"
              required
              autoComplete="current-password"
              {...(stored && { hint: 'Also needed to remove the key.' })}
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          </div>
          {!canTry && (
            <Notice kind="info">No generation worker runs: the key is kept without being tried.</Notice>
          )}
          {[set.error, remove.error].map(
            (error) => error && <ErrorNotice key={String(error)} error={error} />,
          )}
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
          <div className="flex flex-wrap gap-2">
            <Button type="submit" kind="primary" disabled={busy}>
              {set.isPending ? 'Trying the key…' : stored ? 'Replace key' : 'Set key'}
            </Button>
            {stored && (
              <Button kind="danger" disabled={busy || password === ''} onClick={takeAway}>
                Remove key
              </Button>
            )}
          </div>
        </>
      ) : (
        <Notice kind="info">
          ENCRYPTION_KEY is not set, so keys come from the environment only: {key_variable} of the generation
          workers.
        </Notice>
      )}
    </form>
  );
}
