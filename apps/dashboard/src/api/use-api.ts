import { keepPreviousData, queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { queryClient, SESSION_KEY } from './query-client.js';
import { buildUrl, request } from './request.js';
import type { Body, Data, Params, PathWith, Query } from './route-types.js';

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

/** Parameters of the path, and the body. */
type Sending<P extends PathWith<'post'>> = Params<P> & Body<P>;

/** Sends a change, and reads everything again whose path begins with one of the given words. */
export function useSend<P extends PathWith<'post'>>(path: P, renews: readonly string[] = []) {
  return useMutation({
    mutationFn: ({ params, body }: Sending<P>) =>
      request<Data<'post', P>>(buildUrl(path, params as Named), {
        method: 'POST',
        ...(body !== undefined && { body }),
      }),
    onSuccess: () => Promise.all(renews.map((word) => queryClient.invalidateQueries({ queryKey: [word] }))),
  });
}

const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: ({ signal }) => request<Data<'get', '/session'>>('/session', { signal }),
  staleTime: 60_000,
});

/** Returns the session, once it is loaded. */
export function useSession() {
  return useQuery(sessionQuery);
}
