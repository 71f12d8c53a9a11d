import type { GalleryPage } from '@image-gateway/shared/task/schema';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { buildUrl } from '../../api/build-url.js';
import { request } from '../../api/request.js';
import type { GallerySearch } from './gallery-search.js';

/** Parts without an image that are skipped by themselves; each looks at a thousand tasks. */
const MAX_SKIPPED = 20;

/** Reads the gallery part by part. Parts in which no image fits are skipped. */
export function useGallery(search: GallerySearch) {
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
