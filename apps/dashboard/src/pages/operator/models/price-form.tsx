import { Form } from '@base-ui/react/form';
import type { CheckedDocumentView, ModelsView } from '@image-gateway/shared/catalog/schema';
import { useState } from 'react';
import { useSend } from '../../../api/use-api.js';
import { Card } from '../../../ui/card.js';
import { Button } from '../../../ui/forms/button.js';
import { Check, Field } from '../../../ui/forms/fields.js';
import { Notice } from '../../../ui/states.js';
import { ChangeOutcome, ImpactDialog } from './impact-dialog.js';
import { OfferAdder } from './offer-adder.js';
import { addEdit, findChanged, layEdits, type PriceEdits, toChange, toFields } from './price-edits.js';

const NO_EDITS: PriceEdits = {};
const open = ({ version, models }: ModelsView, wanted: string) => ({
  from: version,
  models: models.filter(({ id }) => id === wanted).map(toFields),
});

/**
 * Form for the prices of a model and the switch that puts it on offer. It asks before it saves. Edits outlive a newer version,
 * which the operator accepts before.
 */
export function PriceForm({ view, id: wanted }: { readonly view: ModelsView; readonly id: string }) {
  // The version that the form shows: a change in between is refused.
  const [opened, setOpened] = useState(() => open(view, wanted));
  const [edits, setEdits] = useState(NO_EDITS);
  const [asked, setAsked] = useState<CheckedDocumentView | null>(null);
  const look = useSend('/operator/models/prices/check');
  const send = useSend('/operator/models/prices', ['operator']);
  const models = layEdits(opened.models, edits);
  const changed = findChanged(opened.models, models);
  const isNewer = view.version > opened.from;
  // The version of its own change comes before the end of the request.
  const isBehind = isNewer && changed.length > 0 && !send.isPending;
  if (isNewer && changed.length === 0) {
    setOpened(open(view, wanted));
    setEdits(NO_EDITS);
  }
  const edit = (id: string, part: PriceEdits[string]): void => {
    send.reset();
    look.reset();
    setEdits((before) => addEdit(before, id, part));
  };
  const accept = (): void => {
    send.reset();
    look.reset();
    setOpened(open(view, wanted));
  };
  const ask = (): void =>
    look.mutate(
      { body: { models: changed.map(toChange) } },
      { onSuccess: (checked) => setAsked(checked.faults.length === 0 ? checked : null) },
    );
  const save = async (retyped: readonly string[]): Promise<void> => {
    const body = { from: opened.from, models: changed.map(toChange), retyped };
    const { version } = await send.mutateAsync({ body });
    setOpened({ from: version, models });
    setEdits(NO_EDITS);
  };
  const { enabled_models: decided } = view;
  return (
    <Card
      title="Offer and prices"
      note="In dollars per image; an empty price is not sold. Open tasks keep the price of their submission."
    >
      <Form onFormSubmit={ask} className="grid gap-5">
        {decided !== null && (
          <Notice kind="info">
            ENABLED_MODELS is set ({decided.join(', ')}) and decides what is on offer: the switches are
            locked.
          </Notice>
        )}
        {isBehind && (
          <Notice kind="bad" action={<Button onClick={accept}>Continue with version {view.version}</Button>}>
            Version {view.version} has been applied since you opened this form. Your edits are kept; the other
            fields take its values when you continue.
          </Notice>
        )}
        {models.map(({ id, enabled, price }) => (
          <fieldset key={id} className="grid min-w-0 gap-3">
            <legend className="sr-only">{id}</legend>
            <Check
              checked={decided === null ? enabled : decided.includes(id)}
              disabled={decided !== null}
              onChange={({ target }) => edit(id, { enabled: target.checked })}
            >
              On offer
            </Check>
            <div className="grid grid-cols-3 gap-3">
              {Object.entries(price).map(([name, amount]) => (
                <Field
                  key={name}
                  label={
                    <>
                      <span className="sr-only">{id} </span>
                      {name}
                    </>
                  }
                  inputMode="decimal"
                  placeholder="not sold"
                  value={amount}
                  onChange={(text) => edit(id, { price: { [name]: text } })}
                />
              ))}
            </div>
            <OfferAdder
              what="price"
              shown={Object.keys(price)}
              onAdd={(name) => edit(id, { added: [name] })}
            />
          </fieldset>
        ))}
        <ChangeOutcome error={look.error} faults={look.data?.faults ?? []} version={send.data?.version} />
        <div>
          <Button type="submit" disabled={look.isPending || isBehind || changed.length === 0}>
            Save prices
          </Button>
        </div>
      </Form>
      <ImpactDialog
        checked={asked}
        title={`Change ${wanted}?`}
        verb="Save"
        onClose={() => setAsked(null)}
        action={save}
      />
    </Card>
  );
}
