import { ProviderError } from './errors.js';
import type { Upstream, UpstreamRequest, UpstreamResponse } from './http/create-upstream.js';
import type { CallScope } from './port.js';

/**
 * Submits an asynchronous job. Throws `unknown` when the answer is lost, also in its middle or because it is far too large:
 * the job may be under way, and without its id nobody finds it again.
 */
export async function submitJob(
  upstream: Pick<Upstream, 'call'>,
  request: Omit<UpstreamRequest, 'method' | 'paid'>,
  scope: CallScope,
): Promise<UpstreamResponse> {
  try {
    return await upstream.call({ ...request, method: 'POST', paid: true }, scope);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.failure !== 'bad-response') throw error;
    throw new ProviderError('unknown', error.message, { cause: error });
  }
}
