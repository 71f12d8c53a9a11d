import { useMutation } from '@tanstack/react-query';
import { buildUrl } from './build-url.js';
import { queryClient } from './query-client.js';
import { request } from './request.js';
import type { Body, Data, Params, PathWith } from './route-types.js';

/** Parameters of the path, and the body. */
type Sending<P extends PathWith<'post'>> = Params<P> & Body<P>;

/** Values of parameters by name. */
type Named = Readonly<Record<string, unknown>> | undefined;

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
