import type { UpstreamName } from '@image-gateway/shared/upstreams';
import { createFal } from './fal/create-fal.js';
import { createGemini } from './gemini/create-gemini.js';
import type { Upstream } from './http/create-upstream.js';
import { createOpenai } from './openai/create-openai.js';
import { createOpenRouter } from './openrouter/create-openrouter.js';
import type { ImageProvider } from './port.js';
import { createReplicate } from './replicate/create-replicate.js';

/** Makes a provider from the way to its API; `own` when that is an address of the operator's own. */
export type MakeProvider = (parts: { readonly upstream: Upstream; readonly own: boolean }) => ImageProvider;

/** Every upstream provider that is built, by the name that `PROVIDERS` gives it. */
export const PROVIDER_MAKERS: Readonly<Record<UpstreamName, MakeProvider>> = {
  gemini: ({ upstream }) => createGemini({ upstream }),
  fal: ({ upstream }) => createFal({ upstream }),
  replicate: ({ upstream }) => createReplicate({ upstream }),
  openrouter: ({ upstream }) => createOpenRouter({ upstream }),
  openai: ({ upstream, own }) => createOpenai({ upstream, dialect: own ? 'compatible' : 'openai' }),
};
