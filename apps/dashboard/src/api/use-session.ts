import { queryOptions, useQuery } from '@tanstack/react-query';
import { SESSION_KEY } from './query-client.js';
import { request } from './request.js';
import type { Data } from './route-types.js';

const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: ({ signal }) => request<Data<'get', '/session'>>('/session', { signal }),
  staleTime: 60_000,
});

/** Returns the session, once it is loaded. */
export function useSession() {
  return useQuery(sessionQuery);
}
