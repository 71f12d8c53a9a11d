import type { ModelChange, ModelItem, ModelsView } from '@image-gateway/shared/contract';
import { type FormEvent, useState } from 'react';
import { useSend } from '../../../api/use-send.js';
import { Card } from '../../../ui/card.js';
import { Button } from '../../../ui/forms/button.js';
import { TextField } from '../../../ui/forms/text-field.js';
import { ErrorNotice } from '../../../ui/states/error-notice.js';
import { Notice } from '../../../ui/states/notice.js';

const toChange = ({ id, enabled, prices }: ModelItem): ModelChange => ({
  id,
  enabled,
  price: Object.fromEntries(prices.map(({ resolution, price }) => [resolution, price.slice(1)])),
});

/** Form for the prices of all models and the switches that put them on offer. */
export function PriceForm({ view }: { readonly view: ModelsView }) {
  // The version that the form was opened with: a change in between is refused.
  const [opened] = useState(() => ({ from: view.version, models: view.models.map(toChange) }));
  const [models, setModels] = useState(opened.models);
  const send = useSend('/operator/models/prices', ['operator']);
  const changed = models.filter((model, index) => model !== opened.models[index]);
  const change = (id: string, part: (model: ModelChange) => Partial<ModelChange>): void =>
    setModels(models.map((model) => (model.id === id ? { ...model, ...part(model) } : model)));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate({ body: { from: opened.from, models: changed } });
  };
  const { enabled_models: decided } = view;
  return (
    <Card title="Prices" note="Dollars an image. Open tasks keep the price of their submit.">
      <form onSubmit={submit} className="grid gap-5">
        {decided !== null && (
          <Notice kind="info">
            ENABLED_MODELS is set ({decided.join(', ')}) and decides what is on offer: the switches are
            locked.
          </Notice>
        )}
        {models.map(({ id, enabled, price }) => (
          <fieldset key={id} className="grid min-w-0 gap-3">
            <legend className="mb-2 break-all font-medium text-sm">{id}</legend>
            <label className="flex min-h-8 items-center gap-2 text-sm">
              <input
                type="checkbox"
                checked={decided === null ? enabled : decided.includes(id)}
                disabled={decided !== null}
                onChange={(event) => {
                  const { checked } = event.target;
                  change(id, () => ({ enabled: checked }));
                }}
              />
              On offer
            </label>
            <div className="grid grid-cols-3 gap-3">
              {Object.entries(price).map(([resolution, amount]) => (
                <TextField
                  key={resolution}
                  label={
                    <>
                      <span className="sr-only">{id} </span>
                      {resolution}
                    </>
                  }
                  inputMode="decimal"
                  required
                  value={amount}
                  onChange={(event) => {
                    const { value } = event.target;
                    change(id, (model) => ({ price: { ...model.price, [resolution]: value } }));
                  }}
                />
              ))}
            </div>
          </fieldset>
        ))}
        {send.error && <ErrorNotice error={send.error} />}
        <div>
          <Button type="submit" disabled={send.isPending || changed.length === 0}>
            Save prices
          </Button>
        </div>
      </form>
    </Card>
  );
}
