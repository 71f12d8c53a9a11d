import type { UpstreamName } from '@image-gateway/shared/upstreams';
import type { Upstream } from './http/create-upstream.js';
import type { ImageProvider } from './port.js';

/** Makes a provider from the way to its API; `own` when that is an address of the operator's own. */
export type MakeProvider = (parts: { readonly upstream: Upstream; readonly own: boolean }) => ImageProvider;

/** Every upstream provider that is built, by the name that `PROVIDERS` gives it. */
export const PROVIDER_MAKERS = {} as unknown as Readonly<Record<UpstreamName, MakeProvider>>;
