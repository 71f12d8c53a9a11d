import type { ModelDraft, ModelsView } from '@image-gateway/shared/catalog/schema';
import {
  ASPECT_RATIOS,
  type AspectRatio,
  RESOLUTIONS,
  type Resolution,
  TASK_TYPES,
  type TaskType,
} from '@image-gateway/shared/contract';
import type { ManagedProvider } from '@image-gateway/shared/provider/schema';
import { type FormEvent, useId, useState } from 'react';
import { useGet } from '../../../api/use-get.js';
import { useSend } from '../../../api/use-send.js';
import { Card } from '../../../ui/card.js';
import { Code } from '../../../ui/code.js';
import { Button } from '../../../ui/forms/button.js';
import { CheckGroup } from '../../../ui/forms/check-group.js';
import { CONTROL, Field } from '../../../ui/forms/field.js';
import { SelectField } from '../../../ui/forms/select-field.js';
import { TextField } from '../../../ui/forms/text-field.js';
import { ErrorNotice } from '../../../ui/states/error-notice.js';
import { Notice } from '../../../ui/states/notice.js';
import { CheckedDocument } from './checked-document.js';

interface Fields {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly upstream: string;
  readonly types: readonly TaskType[];
  readonly imageField: string;
  readonly maxInputs: string;
  readonly ratios: readonly AspectRatio[];
  readonly isFixed: boolean;
  readonly price: Readonly<Record<Resolution, string>>;
  readonly cost: Readonly<Record<Resolution, string>>;
}

const NO_AMOUNTS = { '1k': '', '2k': '', '4k': '' } as const;
const EMPTY: Fields = {
  id: '',
  name: '',
  provider: '',
  upstream: '',
  types: ['image_generate'],
  imageField: '',
  maxInputs: '1',
  ratios: ['16:9', '9:16', '1:1'],
  isFixed: false,
  price: NO_AMOUNTS,
  cost: NO_AMOUNTS,
};
const TYPE_NAMES = { image_generate: 'Generate', image_edit: 'Edit' } as const;
const POLL_MS = 1_000;

/** Form that adds a model to the document: it shows the lines that it writes, and what they change, before they are applied. */
export function ModelForm({ view }: { readonly view: ModelsView }) {
  const providers = useGet({ path: '/operator/models/providers' }).data?.providers ?? [];
  const [fields, setFields] = useState(EMPTY);
  const draft = useSend('/operator/models/draft');
  const check = useSend('/operator/models/check');
  const apply = useSend('/operator/models/apply', ['operator']);
  const edit = (part: Partial<Fields>): void => {
    draft.reset();
    check.reset();
    apply.reset();
    setFields((before) => ({ ...before, ...part }));
  };
  const provider = providers.find(({ name }) => name === fields.provider) ?? providers[0];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    draft.mutate(
      { body: toDraft(fields, provider?.name ?? '') },
      { onSuccess: ({ source }) => check.mutate({ body: { source } }) },
    );
  };
  const { data: written } = draft;
  const isReady = written && check.data?.faults.length === 0 && written.from === view.version;
  return (
    <Card
      title="Add a model"
      note="One model with one route. The document takes further routes, sizes in pixels and prices by quality."
    >
      <form onSubmit={submit} className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Model"
            required
            pattern="[a-z0-9][a-z0-9._\-]{0,63}"
            hint="Name in requests: lower case, digits, dots and dashes."
            placeholder="flux-schnell"
            value={fields.id}
            onChange={(event) => edit({ id: event.target.value })}
          />
          <TextField
            label="Title"
            hint="Shown to customers; the name without it."
            maxLength={100}
            value={fields.name}
            onChange={(event) => edit({ name: event.target.value })}
          />
          <SelectField
            label="Provider"
            value={provider?.name ?? ''}
            options={providers.map(({ name }) => [name, name] as const)}
            onChange={(name) => edit({ provider: name })}
          />
          <UpstreamField
            key={provider?.name}
            provider={provider}
            value={fields.upstream}
            onChange={(upstream) => edit({ upstream })}
          />
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          <CheckGroup
            label="Does"
            options={TASK_TYPES.map((type) => [type, TYPE_NAMES[type]] as const)}
            chosen={fields.types}
            onChange={(types) => edit({ types })}
          />
          <CheckGroup
            label="Shapes"
            options={ASPECT_RATIOS.map((ratio) => [ratio, ratio] as const)}
            chosen={fields.ratios}
            onChange={(ratios) => edit({ ratios })}
          />
        </div>
        {fields.types.includes('image_edit') && (
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label="Input images at most"
              type="number"
              min={1}
              max={9}
              required
              value={fields.maxInputs}
              onChange={(event) => edit({ maxInputs: event.target.value })}
            />
            <TextField
              label="Field of the provider for input images"
              hint="Where the protocol needs one, such as image_url or images[] at fal and Replicate."
              value={fields.imageField}
              onChange={(event) => edit({ imageField: event.target.value })}
            />
          </div>
        )}
        <label className="flex min-h-8 items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-(--accent)"
            checked={fields.isFixed}
            onChange={(event) => edit({ isFixed: event.target.checked })}
          />
          The provider draws one size and takes no field for it
        </label>
        {(['price', 'cost'] as const).map((kind) => (
          <fieldset key={kind} className="grid min-w-0 gap-1.5">
            <legend className="mb-1.5 font-medium text-sm">
              {kind === 'price' ? 'Price of an image in dollars' : 'Cost of an image in dollars'}
            </legend>
            <div className="grid grid-cols-3 gap-3">
              {RESOLUTIONS.map((resolution) => (
                <TextField
                  key={resolution}
                  label={
                    <>
                      <span className="sr-only">{kind === 'price' ? 'Price' : 'Cost'} </span>
                      {resolution}
                    </>
                  }
                  inputMode="decimal"
                  placeholder="not offered"
                  value={fields[kind][resolution]}
                  onChange={(event) =>
                    edit({ [kind]: { ...fields[kind], [resolution]: event.target.value } })
                  }
                />
              ))}
            </div>
          </fieldset>
        ))}
        {(draft.error ?? check.error ?? apply.error) && (
          <ErrorNotice error={draft.error ?? check.error ?? apply.error} />
        )}
        {written && (
          <div className="grid gap-3" aria-live="polite">
            <p className="text-sm">These lines come below models of version {written.from}:</p>
            <Code block text={written.lines} />
            {check.data && <CheckedDocument result={check.data} />}
            {written.from !== view.version && (
              <Notice kind="bad">
                Version {view.version} has been applied meanwhile. Show the lines again.
              </Notice>
            )}
          </div>
        )}
        {apply.data && (
          <Notice kind="good">
            Added with version {apply.data.version}. All processes follow within 5 seconds.
          </Notice>
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" disabled={draft.isPending || check.isPending || provider === undefined}>
            Show the lines
          </Button>
          {isReady && (
            <Button
              kind="primary"
              disabled={apply.isPending}
              onClick={() =>
                apply.mutate(
                  { body: { from: written.from, source: written.source, note: `model ${fields.id} added` } },
                  {
                    onSuccess: () => {
                      draft.reset();
                      check.reset();
                      setFields(EMPTY);
                    },
                  },
                )
              }
            >
              Add the model
            </Button>
          )}
        </div>
      </form>
    </Card>
  );
}

/** Name of the model at the provider, from its list where it has one. */
function UpstreamField({
  provider,
  value,
  onChange,
}: {
  readonly provider: ManagedProvider | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const listId = useId();
  const ask = useSend('/operator/models/providers/:name/check', ['operator']);
  const known = provider?.check?.result?.models ?? null;
  return (
    <div className="grid content-start gap-1.5">
      <Field
        label="Model of the provider"
        hint={known === null ? undefined : `The provider lists ${known.length} models.`}
      >
        {(control) => (
          <input
            {...control}
            className={CONTROL}
            required
            list={listId}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
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

function toDraft(fields: Fields, provider: string): ModelDraft {
  const given = (amounts: Fields['price']): Partial<Record<Resolution, string>> =>
    Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount.trim() !== ''));
  const edits = fields.types.includes('image_edit');
  return {
    id: fields.id,
    name: fields.name.trim() || null,
    provider,
    model: fields.upstream.trim(),
    types: fields.types,
    aspect_ratios: fields.ratios,
    max_inputs: edits ? Number(fields.maxInputs) : null,
    image_field: (edits && fields.imageField.trim()) || null,
    is_fixed: fields.isFixed,
    price: given(fields.price),
    cost: given(fields.cost),
  };
}
