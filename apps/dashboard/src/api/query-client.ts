import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './request.js';

/** Cache key of the session. */
export const SESSION_KEY = ['session'];

/** Cache of responses. After a 401 or 403 the session is read again, so that an ended session or a suspended account shows at once. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (query.queryKey[0] !== SESSION_KEY[0]) {
        refreshSession(error);
      }
    },
  }),
  mutationCache: new MutationCache({ onError: refreshSession }),
  defaultOptions: {
    // Without a network a request fails at once and says so; a paused one would be shown as loading for ever.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 5_000,
      retry: (count, error) => count < 2 && error instanceof ApiError && error.status >= 500,
    },
  },
});

function refreshSession(error: unknown): void {
  if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
    void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
  }
}
