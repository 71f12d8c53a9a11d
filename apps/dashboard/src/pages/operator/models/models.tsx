import type { ModelItem, ModelsView } from '@image-gateway/shared/catalog/schema';
import { Link } from '@tanstack/react-router';
import { useGet } from '../../../api/use-api.js';
import { dollars } from '../../../lib/figures.js';
import { Page } from '../../../ui/page.js';
import { Load, Notice } from '../../../ui/states.js';
import { TableCard } from '../../../ui/table.js';
import { DocumentForm } from './document-form.js';
import { ModelForm } from './model-form.js';
import { NoteList } from './note-list.js';
import { OfferState } from './offer-state.js';
import { VersionTable } from './version-table.js';

/** Page of the catalog: the models, a form for a new one, the document and its versions. */
export function Models() {
  const query = useGet({ path: '/operator/models' }, { everyMs: 10_000 });
  return (
    <Page title="Models" lead="What is on offer. Each model has a page with its prices, routes and margin.">
      <Load query={query} rows={8}>
        {(view) => <Content view={view} />}
      </Load>
    </Page>
  );
}

function Content({ view }: { readonly view: ModelsView }) {
  return (
    <>
      {view.unreadable !== null && (
        <Notice kind="bad">
          Version {view.version} cannot be read. The newest readable version stays active: {view.unreadable}
        </Notice>
      )}
      {view.warnings.length > 0 && (
        <Notice kind="bad">
          <p className="font-medium">To look at</p>
          <NoteList notes={view.warnings} />
        </Notice>
      )}
      <OfferNotices models={view.models} />
      <ModelTable models={view.models} />
      <ModelForm view={view} />
      <DocumentForm view={view} />
      <VersionTable view={view} />
    </>
  );
}

/** Models that are switched on and not sold as their prices suggest. */
function OfferNotices({ models }: Pick<ModelsView, 'models'>) {
  const waiting = models.filter((model) => model.waits_for_key).map(({ id }) => id);
  const sandbox = models.filter((model) => model.is_sandbox).map(({ id }) => id);
  return (
    <>
      {waiting.length > 0 && (
        <Notice kind="bad">
          Not on offer: {waiting.join(', ')}. No provider of these routes has a key in a generation worker.
          The models go on offer by themselves when one has.
        </Notice>
      )}
      {sandbox.length > 0 && (
        <Notice kind="info">
          Only the sandbox draws {sandbox.join(', ')}: test images, at the price of the model. They count as
          no margin.
        </Notice>
      )}
    </>
  );
}

function ModelTable({ models }: Pick<ModelsView, 'models'>) {
  return (
    <TableCard
      title="Models"
      note="Price an image. Tasks are those that ended today (UTC), some seconds behind."
      caption="Models with prices and routes"
      rows={models}
      getKey={({ id }) => id}
      columns={[
        {
          title: 'Model',
          cell: (model) => (
            <span className="grid justify-items-start gap-1">
              <Link
                to="/operator/models/$id"
                params={{ id: model.id }}
                className="font-medium underline underline-offset-4 [overflow-wrap:anywhere]"
              >
                {model.id}
              </Link>
              <span className="text-muted text-xs [overflow-wrap:anywhere]">{model.name}</span>
            </span>
          ),
        },
        { title: 'Offer', cell: (model) => <OfferState model={model} /> },
        { title: 'Price', align: 'right', cell: (model) => <PriceRange model={model} /> },
        {
          title: 'Routes',
          from: 'sm',
          figure: ({ routes }) => `${routes.filter(canCall).length} of ${routes.length}`,
        },
        { title: 'Tasks today', from: 'md', figure: ({ tasks_today }) => tasks_today },
      ]}
    />
  );
}

const canCall = ({ blocked_because }: ModelItem['routes'][number]): boolean => blocked_because === null;

function PriceRange({ model: { prices } }: { readonly model: ModelItem }) {
  const sorted = prices.map(({ price }) => price).sort((a, b) => dollars(a) - dollars(b));
  const [least, most] = [sorted[0], sorted.at(-1)];
  const isLoss = prices.some(({ margin }) => margin !== null && dollars(margin) < 0);
  return (
    <span className="grid justify-items-end gap-0.5">
      <span className="figures">{least === most ? least : `${least} – ${most}`}</span>
      {isLoss && <span className="text-bad text-xs">below cost</span>}
    </span>
  );
}
