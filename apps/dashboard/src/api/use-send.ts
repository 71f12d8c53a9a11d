import { useMutation } from '@tanstack/react-query';
import { queryClient } from './query-client.js';
import { request } from './request.js';

/** What is sent where; without a body it is a POST all the same. */
export interface Sending {
  readonly path: string;
  readonly body?: unknown;
}

/** Makes a change through the API, and asks anew for everything whose path begins with one of the given words. */
export function useSend<T = unknown>(renews: readonly string[] = []) {
  return useMutation({
    mutationFn: ({ path, body }: Sending) =>
      request<T>(path, { method: 'POST', ...(body !== undefined && { body }) }),
    onSuccess: () => Promise.all(renews.map((word) => queryClient.invalidateQueries({ queryKey: [word] }))),
  });
}
