import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Images } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../api/use-get.js';
import { Card } from '../../ui/card.js';
import { Button, buttonClass } from '../../ui/forms/button.js';
import { SelectField } from '../../ui/forms/select-field.js';
import { TextField } from '../../ui/forms/text-field.js';
import { Page } from '../../ui/page.js';
import { Empty } from '../../ui/states/empty.js';
import { ErrorNotice } from '../../ui/states/error-notice.js';
import { Loading } from '../../ui/states/loading.js';
import { GalleryGrid } from './gallery-grid.js';
import type { GallerySearch } from './gallery-search.js';
import { LargeImage } from './large-image.js';
import { useGallery } from './use-gallery.js';

const TYPES = [
  ['', 'All'],
  ['image_generate', 'Generation'],
  ['image_edit', 'Edit'],
] as const;

/** All images of the account as a grid; the filters are part of the address. */
export function Gallery() {
  const search: GallerySearch = useSearch({ from: '/gallery' });
  const { query, images, isSkipping } = useGallery(search);
  const [open, setOpen] = useState<number | null>(null);
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title="Gallery" lead="Images of completed tasks, newest first.">
      <Filters search={search} />
      {query.error && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending || (isSkipping && images.length === 0) ? (
        <Loading rows={6} />
      ) : (
        images.length > 0 && <GalleryGrid images={images} onOpen={setOpen} />
      )}
      {query.isSuccess && images.length === 0 && !isSkipping && (
        <Card>
          <Empty
            icon={Images}
            title={isFiltered ? 'No image fits' : 'No images yet'}
            action={
              <Link to="/playground" className={buttonClass()}>
                Try a prompt
              </Link>
            }
          >
            {isFiltered
              ? 'Choose something else above.'
              : 'The playground makes the first one in a few seconds.'}
          </Empty>
        </Card>
      )}
      {query.hasNextPage && !isSkipping && (
        <div className="text-center">
          <Button disabled={query.isFetching} onClick={() => void query.fetchNextPage()}>
            {query.isFetchingNextPage ? 'Reading…' : 'Older images'}
          </Button>
        </div>
      )}
      <LargeImage images={images} index={open} onIndex={setOpen} onClose={() => setOpen(null)} />
    </Page>
  );
}

function Filters({ search }: { readonly search: GallerySearch }) {
  const navigate = useNavigate();
  const models = useGet({ path: '/playground' }).data?.models ?? [];
  const choose = (change: Readonly<Record<keyof GallerySearch, string> | Record<string, string>>): void => {
    void navigate({ to: '/gallery', search: { ...search, ...change } as GallerySearch });
  };
  return (
    <div className="grid grid-cols-2 gap-4 sm:max-w-3xl sm:grid-cols-4">
      <SelectField
        label="Model"
        value={search.model ?? ''}
        options={[['', 'All'], ...models.map(({ id }) => [id, id] as const)]}
        onChange={(model) => choose({ model })}
      />
      <SelectField
        label="Type"
        value={search.type ?? ''}
        options={TYPES}
        onChange={(type) => choose({ type })}
      />
      <TextField
        label="From"
        type="date"
        max={search.to}
        value={search.from ?? ''}
        onChange={({ target }) => choose({ from: target.value })}
      />
      <TextField
        label="To"
        type="date"
        min={search.from}
        value={search.to ?? ''}
        onChange={({ target }) => choose({ to: target.value })}
      />
    </div>
  );
}
