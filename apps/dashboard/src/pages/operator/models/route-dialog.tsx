import type { DocumentNote } from '@image-gateway/shared/catalog/schema';
import { TASK_TYPES } from '@image-gateway/shared/contract';
import type { ManagedProvider } from '@image-gateway/shared/provider/schema';
import { useState } from 'react';
import { useGet } from '../../../api/use-api.js';
import { ActionForm } from '../../../ui/forms/action-form.js';
import { Dialog } from '../../../ui/forms/dialog.js';
import { Check, Field, Fields } from '../../../ui/forms/fields.js';
import { Faults } from './impact-dialog.js';
import { OfferAdder } from './offer-adder.js';
import { type DraftRoute, listCostFields, nameField, readRoute } from './route-edits.js';
import { UpstreamField } from './upstream-field.js';

const TYPE_NAMES = { image_generate: 'Generate', image_edit: 'Edit' } as const;
const NO_FAULTS: readonly DocumentNote[] = [];
const NONE_ADDED: readonly string[] = [];

/** Window with the form of one route. It shows what the check of the document says of the route at its fields. */
export function RouteDialog({
  draft,
  sold,
  onClose,
  onTake,
}: {
  readonly draft: DraftRoute;
  /** Sizes and prices that the model sells. */
  readonly sold: readonly { readonly resolution: string; readonly quality: string | null }[];
  readonly onClose: () => void;
  /** Takes the route, unless the check has faults of it, by their paths below it. */
  readonly onTake: (route: DraftRoute) => Promise<readonly DocumentNote[]>;
}) {
  const providers = useGet({ path: '/operator/models/providers' }).data?.providers ?? [];
  const [chosen, setChosen] = useState(draft.provider);
  const [faults, setFaults] = useState(NO_FAULTS);
  const [added, setAdded] = useState(NONE_ADDED);
  const costs = listCostFields(draft, sold, added);
  const names = [
    'provider',
    'upstream',
    'weight',
    'max_inputs',
    'image_field',
    ...costs.map(({ name }) => `cost ${name}`),
  ];
  const find = (name: string): string | undefined =>
    faults.find(({ path }) => nameField(path) === name)?.message;
  const others = faults.filter(({ path }) => !names.includes(nameField(path)));
  // The list of managed providers lacks the sandbox, and what a document of another release names.
  const options = new Map([
    ...['sandbox', draft.provider].map((name) => [name, name] as const),
    ...providers.map((one) => [one.name, describeProvider(one)] as const),
  ]);
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={draft.place === null ? 'Add a route' : `Route by ${draft.provider}`}
      note="Nothing is saved yet: the list of routes is saved as a whole."
    >
      <ActionForm
        keeps
        verb={draft.place === null ? 'Add to the list' : 'Take over'}
        busyVerb="Checking…"
        kind="primary"
        onCancel={onClose}
        onEdit={() => setFaults(NO_FAULTS)}
        action={async (values, data) => setFaults(await onTake(readRoute(draft, values, data)))}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            name="provider"
            label="Provider"
            value={chosen}
            options={[...options]}
            error={find('provider')}
            onChange={setChosen}
          />
          <UpstreamField
            key={chosen}
            provider={providers.find(({ name }) => name === chosen)}
            defaultValue={draft.provider === chosen ? draft.model : ''}
            error={find('upstream')}
          />
        </div>
        <fieldset className="grid min-w-0 gap-1.5">
          <legend className="mb-1.5 font-medium text-sm">Cost of an image in dollars</legend>
          <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
            <Fields
              fields={costs.map(({ name, amount }) => ({
                name: `cost ${name}`,
                label: (
                  <>
                    <span className="sr-only">Cost </span>
                    {name}
                  </>
                ),
                inputMode: 'decimal',
                placeholder: 'not bought here',
                defaultValue: amount,
                error: find(`cost ${name}`),
              }))}
            />
          </div>
          <OfferAdder
            what="cost"
            shown={costs.map(({ name }) => name)}
            onAdd={(name) => setAdded([...added, name])}
          />
        </fieldset>
        <div className="grid gap-4 sm:grid-cols-2">
          <Fields
            fields={[
              {
                name: 'weight',
                label: 'Weight',
                type: 'number',
                min: 0,
                step: 'any',
                defaultValue: String(draft.weight ?? ''),
                error: find('weight'),
                hint: 'Share of the tasks among neighbors with a weight. Empty: the order decides.',
              },
              {
                name: 'types',
                label: 'Does',
                choices: TASK_TYPES.map((type) => [type, TYPE_NAMES[type]] as const),
                chosen: draft.types,
              },
              {
                name: 'max_inputs',
                label: 'Input images at most',
                type: 'number',
                min: 0,
                max: 100,
                defaultValue: String(draft.max_inputs ?? ''),
                error: find('max_inputs'),
                hint: 'Empty: 9.',
              },
              {
                name: 'image_field',
                label: 'Field of the provider for input images',
                maxLength: 100,
                defaultValue: draft.image_field ?? '',
                error: find('image_field'),
                hint: 'Where the protocol needs one, such as image_url or images[] at fal and Replicate.',
              },
            ]}
          />
        </div>
        <Check name="is_fixed" defaultChecked={draft.is_fixed}>
          The provider draws one size and takes no field for it
        </Check>
        {draft.other.length > 0 && (
          <p className="text-muted text-sm [overflow-wrap:anywhere]">
            Kept as they are, and changed in the document only: {draft.other.join(', ')}.
          </p>
        )}
        {others.length > 0 && <Faults faults={others} />}
      </ActionForm>
    </Dialog>
  );
}

function describeProvider({ name, key_variable, key_source }: ManagedProvider): string {
  return key_variable !== null && key_source === null ? `${name} (no key)` : name;
}
