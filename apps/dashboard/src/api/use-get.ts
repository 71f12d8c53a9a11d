import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { buildUrl } from './build-url.js';
import type { Data, Params, PathWith, Query } from './paths.js';
import { request } from './request.js';

/** What is asked for; paths begin after `/dashboard/api`. */
type Target<P extends PathWith<'get'>> = { readonly path: P } & Params<P> & Query<P>;

/** What stands in the braces and in the query, whatever its names. */
type Named = Readonly<Record<string, unknown>> | undefined;

/** How often something is asked for again, in milliseconds; may depend on what came last. */
type Every<T> = number | ((data: T | undefined) => number | false);

/** Asks the API for something and keeps it; `everyMs` asks again and again. What was there stays until the new answer comes. */
export function useGet<P extends PathWith<'get'>>(
  { path, params, query }: Target<P>,
  { everyMs }: { readonly everyMs?: Every<Data<'get', P>> } = {},
) {
  const address = buildUrl(path, params as Named, query as Named);
  return useQuery<Data<'get', P>>({
    queryKey: [path.split('/')[1], address],
    queryFn: ({ signal }) => request<Data<'get', P>>(address, { signal }),
    refetchInterval: ({ state }) =>
      typeof everyMs === 'function' ? everyMs(state.data) : (everyMs ?? false),
    placeholderData: keepPreviousData,
  });
}
