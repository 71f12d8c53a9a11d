import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.js';

/** The key under which the session is kept. */
export const SESSION_KEY = ['session'];

/** What the pages know of the server. A session that has ended, or an account that was suspended, shows at once: the session is asked for again. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (query.queryKey[0] !== SESSION_KEY[0]) refreshSession(error);
    },
  }),
  mutationCache: new MutationCache({ onError: refreshSession }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 2 && error instanceof ApiError && error.status >= 500,
    },
  },
});

function refreshSession(error: unknown): void {
  if (error instanceof ApiError && (error.status === 401 || error.status === 403))
    void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
}
