import type { GalleryPage } from '@image-gateway/shared/task/schema';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { buildUrl, request } from '../../api/request.js';
import type { GallerySearch } from '../../lib/search.js';
import { Card } from '../../ui/card.js';
import { Button } from '../../ui/forms/button.js';
import { Page } from '../../ui/page.js';
import { ErrorNotice, Loading } from '../../ui/states.js';
import { NoTasks, TaskFilters, useTaskFields } from '../tasks/task-filters.js';
import { GalleryGrid } from './gallery-grid.js';
import { LargeImage } from './large-image.js';

/** All images of the account as a grid; the filters are part of the address. */
export function Gallery() {
  const search: GallerySearch = useSearch({ from: '/gallery' });
  const { query, images, isSkipping } = useGallery(search);
  const [open, setOpen] = useState<number | null>(null);
  const { type, model } = useTaskFields();
  const navigate = useNavigate();
  const choose = (change: Readonly<Record<string, unknown>>): void => {
    void navigate({ to: '/gallery', search: { ...search, ...change } as GallerySearch });
  };
  return (
    <Page title="Gallery" lead="Images of completed tasks, newest first.">
      <TaskFilters
        fields={[
          model,
          type,
          { name: 'from', label: 'From (UTC)', type: 'date', max: search.to },
          { name: 'to', label: 'To (UTC)', type: 'date', min: search.from },
        ]}
        values={search}
        onChange={choose}
      />
      {query.error && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending || (isSkipping && images.length === 0) ? (
        <Loading rows={6} />
      ) : (
        images.length > 0 && <GalleryGrid images={images} onOpen={setOpen} />
      )}
      {query.isSuccess && images.length === 0 && !isSkipping && (
        <Card>
          <NoTasks of="image" isFiltered={Object.keys(search).length > 0} />
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

/** Parts without an image that are skipped by themselves; each looks at a thousand tasks. */
const MAX_SKIPPED = 20;

/** Reads the gallery part by part. Parts in which no image fits are skipped. */
function useGallery(search: GallerySearch) {
  const query = useInfiniteQuery({
    queryKey: ['images', search],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      request<GalleryPage>(buildUrl('/images', {}, { ...search, before: pageParam ?? undefined }), {
        signal,
      }),
    getNextPageParam: ({ next }) => next,
  });
  const { data, hasNextPage, isFetching, fetchNextPage } = query;
  const pages = data?.pages ?? [];
  const skipped = pages.length - 1 - pages.findLastIndex(({ items }) => items.length > 0);
  const isSkipping = hasNextPage && skipped > 0 && skipped % MAX_SKIPPED !== 0;
  useEffect(() => {
    if (isSkipping && !isFetching) {
      void fetchNextPage();
    }
  }, [isSkipping, isFetching, fetchNextPage]);
  return { query, images: pages.flatMap(({ items }) => items), isSkipping };
}
