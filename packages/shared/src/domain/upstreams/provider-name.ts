import { UPSTREAMS, type UpstreamName } from './upstreams.js';

/** The name of a provider, as `PROVIDERS` gives it. */
export type ProviderName = UpstreamName | 'sandbox';

/** Every provider that there is. */
export const PROVIDER_NAMES: readonly ProviderName[] = [
  ...(Object.keys(UPSTREAMS) as UpstreamName[]),
  'sandbox',
];
