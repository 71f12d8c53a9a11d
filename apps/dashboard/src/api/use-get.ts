import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { request } from './request.js';

/** How often something is asked for again, in milliseconds; may depend on what came last. */
type Every<T> = number | ((data: T | undefined) => number | false);

/** Asks the API for something and keeps it; `everyMs` asks again and again. What was there stays until the new answer comes. */
export function useGet<T>(path: string, { everyMs }: { readonly everyMs?: Every<T> } = {}) {
  return useQuery<T>({
    queryKey: path.split(/[/?]/).slice(1, 2).concat(path),
    queryFn: ({ signal }) => request<T>(path, { signal }),
    refetchInterval: ({ state }) =>
      typeof everyMs === 'function' ? everyMs(state.data) : (everyMs ?? false),
    placeholderData: keepPreviousData,
  });
}
