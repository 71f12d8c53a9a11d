import type { ModelItem, ModelsView } from '@image-gateway/shared/catalog/schema';
import { useParams } from '@tanstack/react-router';
import { Tags } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../../api/use-api.js';
import { cx } from '../../../lib/cx.js';
import { dollars } from '../../../lib/figures.js';
import { Button, ButtonLink } from '../../../ui/forms/button.js';
import { Page } from '../../../ui/page.js';
import { Empty, ErrorNotice, Load, Notice } from '../../../ui/states.js';
import { Stat, Stats } from '../../../ui/stats.js';
import { TableCard } from '../../../ui/table.js';
import { ProviderCard } from '../providers/provider-card.js';
import { NoteList } from './note-list.js';
import { OfferState } from './offer-state.js';
import { PriceForm } from './price-form.js';
import { RouteForm } from './route-form.js';
import { RouteTable } from './route-table.js';

/** Page of one model: whether it is on offer, its prices and margin, and its routes with their providers. */
export function Model() {
  const { id = '' } = useParams({ strict: false });
  const query = useGet({ path: '/operator/models' }, { everyMs: 10_000 });
  const model = query.data?.models.find((one) => one.id === id);
  return (
    <Page
      title={id}
      lead={model && [model.name, model.family].filter((part) => part !== null && part !== id).join(', ')}
      actions={<ButtonLink to="/operator/models">All models</ButtonLink>}
    >
      <Load query={query} rows={8}>
        {(view) =>
          model ? (
            <Content view={view} model={model} />
          ) : (
            <Empty icon={Tags} title={`There is no model ${id}`}>
              Version {view.version} of the catalog does not have it. It may have been renamed or removed.
            </Empty>
          )
        }
      </Load>
    </Page>
  );
}

function Content({ view, model }: Readonly<{ view: ModelsView; model: ModelItem }>) {
  const [edits, setEdits] = useState(false);
  const notes = view.warnings.filter(({ path }) => path.startsWith(`models.${model.id}.`));
  return (
    <>
      <OfferState model={model} />
      {notes.length > 0 && (
        <Notice kind="bad">
          <NoteList notes={notes} />
        </Notice>
      )}
      <Margin id={model.id} />
      <PriceTable model={model} />
      <PriceForm key={model.id} view={view} id={model.id} />
      <RouteTable
        routes={model.routes}
        action={
          <Button aria-expanded={edits} onClick={() => setEdits(!edits)}>
            {edits ? 'Close the form' : 'Change routes'}
          </Button>
        }
      />
      {edits && <RouteForm view={view} model={model} />}
      <ProviderCard names={model.routes.map(({ provider }) => provider)} />
    </>
  );
}

/** Money that the model brought in the last 30 days, with a line for each quality where there are some. */
function Margin({ id }: { readonly id: string }) {
  const { data, error, refetch } = useGet({ path: '/operator/models/margins' }, { everyMs: 60_000 });
  const own = data?.find(({ model }) => model === id);
  const byQuality = (field: 'revenue' | 'cost' | 'margin') =>
    own?.qualities?.map((one) => `${one.quality} ${one[field]}`).join(', ');
  return (
    <>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Stats label="Money of the last 30 days">
        <Stat name="Images" value={(own?.images ?? 0).toLocaleString('en')} note="in 30 days" />
        <Stat
          name="Charged"
          value={own?.revenue ?? '$0.00'}
          note={byQuality('revenue') ?? 'without refunds'}
        />
        <Stat
          name="Upstream cost"
          value={own?.cost ?? '$0.00'}
          note={byQuality('cost') ?? 'of all its calls'}
        />
        <Stat
          name="Margin"
          value={own?.margin ?? '$0.00'}
          note={byQuality('margin') ?? 'without sandbox images'}
        />
      </Stats>
    </>
  );
}

/** Prices beside the cheapest cost of an image. */
function PriceTable({ model }: { readonly model: ModelItem }) {
  return (
    <TableCard
      title="Price and cost"
      note="Per image, with the cheapest route in use."
      rows={model.prices}
      getKey={({ resolution, quality }) => `${resolution} ${quality}`}
      columns={[
        {
          title: 'Offer',
          cell: ({ resolution, quality }) => (
            <span className="whitespace-nowrap font-medium">
              {resolution} {quality}
            </span>
          ),
        },
        { title: 'Price', figure: ({ price }) => price },
        { title: 'Cheapest cost', figure: ({ cost }) => cost },
        {
          title: 'Route',
          from: 'md',
          cell: ({ cheapest }) => (
            <span className="text-muted text-xs [overflow-wrap:anywhere]">{cheapest ?? '–'}</span>
          ),
        },
        {
          title: 'Margin',
          align: 'right',
          cell: ({ margin }) => (
            <span className={cx('figures', margin !== null && dollars(margin) < 0 && 'font-medium text-bad')}>
              {margin ?? '–'}
            </span>
          ),
        },
      ]}
    />
  );
}
