import type { ManagedProvider } from '@image-gateway/shared/provider/schema';
import { useId } from 'react';
import { useGet, useSend } from '../../../api/use-api.js';
import { Button } from '../../../ui/forms/button.js';
import { Field, type FieldProps } from '../../../ui/forms/fields.js';
import { ErrorNotice } from '../../../ui/states.js';

const POLL_MS = 1_000;

/** Name of the model at the provider, from its list where it has one. */
export function UpstreamField({
  provider,
  ...field
}: { readonly provider: ManagedProvider | undefined } & Pick<FieldProps, 'defaultValue' | 'error'>) {
  const listId = useId();
  const ask = useSend('/operator/models/providers/:name/check', ['operator']);
  const known = provider?.check?.result?.models ?? null;
  return (
    <div className="grid content-start gap-1.5">
      <Field
        {...field}
        name="upstream"
        label="Model of the provider"
        hint={known === null ? undefined : `The provider lists ${known.length} models.`}
        required
        list={listId}
      />
      <datalist id={listId}>
        {known?.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
      {ask.data && known === null && <Asked id={ask.data.id} />}
      {ask.error && <ErrorNotice error={ask.error} />}
      {known === null && provider && !ask.data && (
        <div>
          <Button
            small
            disabled={ask.isPending}
            onClick={() => ask.mutate({ params: { name: provider.name }, body: {} })}
          >
            Ask {provider.name} for its models
          </Button>
        </div>
      )}
    </div>
  );
}

/** Waits for the list of a provider, and says why there is none. */
function Asked({ id }: { readonly id: string }) {
  const { data } = useGet(
    { path: '/operator/models/provider-checks/:id', params: { id } },
    { everyMs: (check) => (check?.state === 'done' ? false : POLL_MS) },
  );
  const result = data?.result ?? null;
  if (result === null) {
    return <p className="text-muted text-sm">The provider is asked…</p>;
  }
  const [key] = result.keys;
  const why = result.note ?? (key?.result === 'accepted' ? null : (key?.reason ?? key?.result ?? null));
  return (
    <p className="text-muted text-sm">
      {result.models === null
        ? `There is no list${why === null ? ': its free call names no models' : `: ${why}`}.`
        : `${result.models.length} models are listed.`}
    </p>
  );
}
