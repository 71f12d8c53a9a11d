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
import { useState } from 'react';
import { useGet, useSend } from '../../../api/use-api.js';
import { Card } from '../../../ui/card.js';
import { Code } from '../../../ui/code.js';
import { ActionForm } from '../../../ui/forms/action-form.js';
import { Button } from '../../../ui/forms/button.js';
import { Check, Field, Fields } from '../../../ui/forms/fields.js';
import { ErrorNotice, Notice } from '../../../ui/states.js';
import { CheckedDocument } from './note-list.js';
import { UpstreamField } from './upstream-field.js';

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
      note="One model with one route. Its page takes further routes and prices by quality, the document sizes in pixels."
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
