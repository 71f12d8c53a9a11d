import type { ModelsView } from '@image-gateway/shared/catalog/schema';
import { useGet } from '../../../api/use-api.js';
import { Page } from '../../../ui/page.js';
import { Load, Notice } from '../../../ui/states.js';
import { DocumentForm } from './document-form.js';
import { ModelForm } from './model-form.js';
import { ModelTable } from './model-table.js';
import { NoteList } from './note-list.js';
import { PriceForm } from './price-form.js';
import { ProviderCard } from './provider-card.js';
import { RouteTable } from './route-table.js';
import { VersionTable } from './version-table.js';

/** Page of the catalog: what is on offer and what it brings, prices and switches, the document and its versions. */
export function Models() {
  const query = useGet({ path: '/operator/models' }, { everyMs: 10_000 });
  return (
    <Page title="Models" lead="Models on offer with their prices, upstream costs and margins.">
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
          <p className="font-medium">Sold below cost</p>
          <NoteList notes={view.warnings} />
        </Notice>
      )}
      <OfferNotices models={view.models} />
      <ModelTable models={view.models} />
      <PriceForm view={view} />
      <RouteTable models={view.models} />
      <ProviderCard />
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
          Only the sandbox draws {sandbox.join(', ')}: test images, at the price of the model. Its costs count
          as no margin.
        </Notice>
      )}
    </>
  );
}
