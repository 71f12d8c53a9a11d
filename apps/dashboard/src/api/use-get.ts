import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { buildUrl } from './build-url.js';
import { request } from './request.js';
import type { Data, Params, PathWith, Query } from './route-types.js';

/** Path, parameters and query of a request; paths begin after `/dashboard/api`. */
type Target<P extends PathWith<'get'>> = { readonly path: P } & Params<P> & Query<P>;

/** Values of parameters or of the query by name. */
type Named = Readonly<Record<string, unknown>> | undefined;

/** Polling interval in milliseconds; may depend on the last response. */
type Every<T> = number | ((data: T | undefined) => number | false);

/** Reads from the API and caches the response; `everyMs` polls. The old data stays until new data arrives. */
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
