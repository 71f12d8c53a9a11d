import type { FormFieldName } from '@image-gateway/shared/contract';
import type { FormField, PlaygroundModel } from '@image-gateway/shared/task/schema';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Tags } from 'lucide-react';
import type { ReactNode } from 'react';
import { useGet } from '../../api/use-api.js';
import { countDecimals, formatMoney } from '../../lib/figures.js';
import { Card } from '../../ui/card.js';
import { ButtonLink } from '../../ui/forms/button.js';
import { Fields } from '../../ui/forms/fields.js';
import { Page } from '../../ui/page.js';
import { Empty, Load } from '../../ui/states.js';
import { Named, Table } from '../../ui/table.js';
import { buildRequest, emptyDraft, fitDraft } from '../playground/draft.js';
import { listModelOptions } from '../playground/draft-form.js';
import { nameField } from '../playground/field-words.js';
import { Samples } from '../playground/samples.js';

/** Models on offer: prices, shapes and fields of one or of two beside each other, and an example request. */
export function OfferedModels() {
  const query = useGet({ path: '/playground' });
  return (
    <Page
      title="Models"
      lead="What each model takes, and what an image costs. You pay for delivered images only."
    >
      <Load query={query} rows={8}>
        {({ models }) => {
          const [first] = models;
          return first ? (
            <Offer models={models} first={first} />
          ) : (
            <Card>
              <Empty icon={Tags} title="No model is on offer">
                The operator of this gateway decides which models there are.
              </Empty>
            </Card>
          );
        }}
      </Load>
    </Page>
  );
}

function Offer({ models, first }: Readonly<{ models: readonly PlaygroundModel[]; first: PlaygroundModel }>) {
  const search = useSearch({ from: '/models' });
  const navigate = useNavigate();
  const model = models.find(({ id }) => id === search.model) ?? first;
  const others = models.filter(({ id }) => id !== model.id);
  const beside = others.find(({ id }) => id === search.beside);
  const chosen = beside ? [model, beside] : [model];
  return (
    <>
      <div className="grid gap-4 sm:max-w-2xl sm:grid-cols-2">
        <Fields
          fields={[
            { name: 'model', label: 'Model', options: listModelOptions(models) },
            { name: 'beside', label: 'Compare with', options: [['', 'none'], ...listModelOptions(others)] },
          ]}
          values={{ model: model.id, beside: beside?.id ?? '' }}
          onChange={(change) => {
            const next = { model: model.id, beside: beside?.id, ...change };
            void navigate({
              to: '/models',
              search: { model: next.model, ...(next.beside && { beside: next.beside }) },
              replace: true,
              resetScroll: false,
            });
          }}
        />
      </div>
      <Card flush className="pt-3">
        <Table
          caption={chosen.map(({ name }) => name).join(' beside ')}
          rows={listFacts(chosen)}
          getKey={({ name }) => name}
          columns={[
            { title: 'What', cell: ({ name }) => <span className="text-muted">{name}</span> },
            ...chosen.map((one, index) => ({
              title: one.name === chosen[1 - index]?.name ? one.id : one.name,
              cell: ({ values }: Fact) => values[index] ?? <span className="text-muted">–</span>,
            })),
          ]}
        />
      </Card>
      {chosen.map((one) => (
        <Samples
          key={one.id}
          title={`Example request: ${one.name}`}
          request={buildRequest(
            one,
            fitDraft({ ...emptyDraft, model: one.id, fields: { prompt: PROMPT } }, [one]),
          )}
          draft={emptyDraft}
        />
      ))}
    </>
  );
}

const PROMPT = 'A red fox in the snow, morning light';

/** Fact of each of the models that are shown, in their order; null where it does not apply. */
interface Fact {
  readonly name: string;
  readonly values: readonly ReactNode[];
}

/** Lists the facts of models, those of fields that only one of them takes too. */
function listFacts(models: readonly PlaygroundModel[]): readonly Fact[] {
  const fact = (name: string, read: (model: PlaygroundModel) => ReactNode): Fact => ({
    name,
    values: models.map(read),
  });
  const fields = new Set(models.flatMap((model) => Object.keys(model.fields) as FormFieldName[]));
  return [
    fact('Model', ({ id, family }) => (
      <Named
        name={<span className="font-mono text-[0.8125rem]">{id}</span>}
        note={family === null ? undefined : `Family ${family}`}
      />
    )),
    fact('Price of an image', (model) => <Prices model={model} />),
    fact('Draws', (model) => describeTypes(model).join(', ')),
    ...[...fields].map((name) =>
      fact(nameField(name), ({ fields: { [name]: field } }) => field && <Taken name={name} field={field} />),
    ),
    fact('Try it', ({ id, name }) => (
      <ButtonLink small to="/playground" search={{ model: id }} aria-label={`Try ${name} in the playground`}>
        Playground
      </ButtonLink>
    )),
  ];
}

/** Prices by resolution, and by quality where there is a choice of it. */
function Prices({ model: { prices, prices_by_quality: byQuality } }: { readonly model: PlaygroundModel }) {
  const lines = Object.entries(prices).flatMap(([resolution, price]) => {
    const qualities = Object.entries(byQuality[resolution] ?? {});
    return qualities.length === 0
      ? [[resolution, price] as const]
      : qualities.map(([quality, amount]) => [`${resolution} ${quality}`, amount] as const);
  });
  const decimals = Math.max(...lines.map(([, amount]) => countDecimals(amount)));
  return (
    <dl className="figures grid w-fit grid-cols-[auto_auto] gap-x-4">
      {lines.map(([what, amount]) => (
        <div key={what} className="contents">
          <dt className="text-muted">{what}</dt>
          <dd className="text-right font-medium">{formatMoney(amount, decimals)}</dd>
        </div>
      ))}
    </dl>
  );
}

function describeTypes({ generates, max_inputs: inputs, has_masks }: PlaygroundModel): readonly string[] {
  return [
    ...(generates ? ['images from a prompt'] : []),
    ...(inputs > 0 ? [inputs === 1 ? 'edits of an image' : `edits of up to ${inputs} images`] : []),
    ...(inputs > 0 && has_masks ? ['edits with a mask'] : []),
  ];
}

/** Range of a field, with its name in requests where a page calls it otherwise. */
function Taken({ name, field }: { readonly name: FormFieldName; readonly field: FormField }) {
  const { enum: choices, minimum, maximum, maxLength, default: preset } = field;
  const range =
    choices?.join(', ') ??
    (minimum !== undefined && maximum !== undefined
      ? `${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}`
      : `up to ${(maxLength ?? 0).toLocaleString('en')} characters`);
  return (
    <>
      {range}
      <span className="block text-muted text-xs">
        <code className="break-all">{name}</code>
        {preset !== undefined && `, by default ${preset}`}
      </span>
    </>
  );
}
