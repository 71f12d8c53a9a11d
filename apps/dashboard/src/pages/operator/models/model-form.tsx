import type {
  CheckedDocumentView,
  ModelDraft,
  ModelDraftView,
  ModelsView,
} from '@image-gateway/shared/catalog/schema';
import {
  ASPECT_RATIOS,
  type AspectRatio,
  RESOLUTIONS,
  TASK_TYPES,
  type TaskType,
} from '@image-gateway/shared/contract';
import type { ManagedProvider } from '@image-gateway/shared/provider/schema';
import { useId, useState } from 'react';
import { useGet, useSend } from '../../../api/use-api.js';
import { Card } from '../../../ui/card.js';
import { Code } from '../../../ui/code.js';
import { ActionForm } from '../../../ui/forms/action-form.js';
import { Button } from '../../../ui/forms/button.js';
import { Check, Field, Fields } from '../../../ui/forms/fields.js';
import { ErrorNotice, Notice } from '../../../ui/states.js';
import { CheckedDocument } from './note-list.js';

/** Lines that the form has written, and what they change. */
interface Written extends ModelDraftView {
  readonly id: string;
  readonly checked?: CheckedDocumentView;
}

const TYPE_NAMES = { image_generate: 'Generate', image_edit: 'Edit' } as const;
const AMOUNTS = [
  ['price', 'Price'],
  ['cost', 'Cost'],
] as const;
const POLL_MS = 1_000;

/** Form that adds a model to the document: it shows the lines that it writes, and what they change, before they are applied. */
export function ModelForm({ view }: { readonly view: ModelsView }) {
  const providers = useGet({ path: '/operator/models/providers' }).data?.providers ?? [];
  const [round, setRound] = useState(0);
  const [chosen, setChosen] = useState('');
  const [edits, setEdits] = useState(false);
  const [written, setWritten] = useState<Written | null>(null);
  const draft = useSend('/operator/models/draft');
  const check = useSend('/operator/models/check');
  const apply = useSend('/operator/models/apply', ['operator']);
  const provider = providers.find(({ name }) => name === chosen) ?? providers[0];
  const add = ({ from, source, id }: Written): void =>
    apply.mutate(
      { body: { from, source, note: `model ${id} added` } },
      {
        onSuccess: () => {
          setWritten(null);
          setEdits(false);
          setRound(round + 1);
        },
      },
    );
  return (
    <Card
      title="Add a model"
      note="One model with one route. The document takes further routes, sizes in pixels and prices by quality."
    >
      <ActionForm
        key={round}
        keeps
        fields={[
          [
            {
              name: 'id',
              label: 'Model',
              required: true,
              pattern: '[a-z0-9][a-z0-9._\\-]{0,63}',
              hint: 'Name in requests: lower case, digits, dots and dashes.',
              placeholder: 'flux-schnell',
            },
            {
              name: 'name',
              label: 'Title',
              hint: 'Shown to customers; the name without it.',
              maxLength: 100,
            },
          ],
        ]}
        verb="Show the lines"
        isReady={provider !== undefined}
        onEdit={(data) => {
          setEdits(data.getAll('types').includes('image_edit'));
          setWritten(null);
          apply.reset();
        }}
        action={async (values, data) => {
          const { id = '' } = values;
          const lines = await draft.mutateAsync({ body: toDraft(values, data) });
          setWritten({ ...lines, id });
          const checked = await check.mutateAsync({ body: { source: lines.source } });
          setWritten({ ...lines, id, checked });
        }}
        buttons={
          written?.checked?.faults.length === 0 &&
          written.from === view.version && (
            <Button kind="primary" disabled={apply.isPending} onClick={() => add(written)}>
              Add the model
            </Button>
          )
        }
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            name="provider"
            label="Provider"
            value={provider?.name ?? ''}
            options={providers.map(({ name }) => [name, name] as const)}
            onChange={setChosen}
          />
          <UpstreamField key={provider?.name} provider={provider} />
          <Fields
            fields={[
              {
                name: 'types',
                label: 'Does',
                choices: TASK_TYPES.map((type) => [type, TYPE_NAMES[type]] as const),
                chosen: ['image_generate'],
              },
              {
                name: 'ratios',
                label: 'Shapes',
                choices: ASPECT_RATIOS.map((ratio) => [ratio, ratio] as const),
                chosen: ['16:9', '9:16', '1:1'],
              },
            ]}
          />
          {edits && (
            <Fields
              fields={[
                {
                  name: 'max_inputs',
                  label: 'Input images at most',
                  type: 'number',
                  min: 1,
                  max: 9,
                  required: true,
                  defaultValue: '1',
                },
                {
                  name: 'image_field',
                  label: 'Field of the provider for input images',
                  hint: 'Where the protocol needs one, such as image_url or images[] at fal and Replicate.',
                },
              ]}
            />
          )}
        </div>
        <Check name="is_fixed">The provider draws one size and takes no field for it</Check>
        {AMOUNTS.map(([kind, title]) => (
          <fieldset key={kind} className="grid min-w-0 gap-1.5">
            <legend className="mb-1.5 font-medium text-sm">{title} of an image in dollars</legend>
            <div className="grid grid-cols-3 gap-3">
              <Fields
                fields={RESOLUTIONS.map((resolution) => ({
                  name: `${kind} ${resolution}`,
                  label: (
                    <>
                      <span className="sr-only">{title} </span>
                      {resolution}
                    </>
                  ),
                  inputMode: 'decimal',
                  placeholder: 'not offered',
                }))}
              />
            </div>
          </fieldset>
        ))}
        {apply.error && <ErrorNotice error={apply.error} />}
        {written && (
          <div className="grid gap-3" aria-live="polite">
            <p className="text-sm">These lines come below models of version {written.from}:</p>
            <Code block text={written.lines} />
            {written.checked && <CheckedDocument result={written.checked} />}
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
      </ActionForm>
    </Card>
  );
}

/** Name of the model at the provider, from its list where it has one. */
function UpstreamField({ provider }: { readonly provider: ManagedProvider | undefined }) {
  const listId = useId();
  const ask = useSend('/operator/models/providers/:name/check', ['operator']);
  const known = provider?.check?.result?.models ?? null;
  return (
    <div className="grid content-start gap-1.5">
      <Field
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

function toDraft(values: Readonly<Partial<Record<string, string>>>, data: FormData): ModelDraft {
  const text = (name: string): string => values[name]?.trim() ?? '';
  const list = (kind: string) =>
    Object.fromEntries(
      RESOLUTIONS.map((resolution) => [resolution, text(`${kind} ${resolution}`)]).filter(
        ([, sum]) => sum !== '',
      ),
    );
  return {
    id: text('id'),
    name: text('name') || null,
    provider: text('provider'),
    model: text('upstream'),
    types: data.getAll('types') as TaskType[],
    aspect_ratios: data.getAll('ratios') as AspectRatio[],
    max_inputs: text('max_inputs') === '' ? null : Number(text('max_inputs')),
    image_field: text('image_field') || null,
    is_fixed: data.has('is_fixed'),
    price: list('price'),
    cost: list('cost'),
  };
}
