import type { UpstreamName } from '@image-gateway/shared/upstreams';
import { createComfyui } from './comfyui/create-comfyui.js';
import { createFal } from './fal/create-fal.js';
import { createGemini } from './gemini/create-gemini.js';
import type { Upstream } from './http/create-upstream.js';
import { createOpenai } from './openai/create-openai.js';
import { createOpenRouter } from './openrouter/create-openrouter.js';
import type { ImageProvider } from './port.js';
import { createReplicate } from './replicate/create-replicate.js';

/** Creates a provider from the client of its API; `own` is true for an address of the operator. */
export type MakeProvider = (parts: { readonly upstream: Upstream; readonly own: boolean }) => ImageProvider;

/** Factories of all upstream providers, by their name in `PROVIDERS`. */
export const PROVIDER_MAKERS: Readonly<Record<UpstreamName, MakeProvider>> = {
  gemini: ({ upstream }) => createGemini({ upstream }),
  fal: ({ upstream }) => createFal({ upstream }),
  replicate: ({ upstream }) => createReplicate({ upstream }),
  openrouter: ({ upstream }) => createOpenRouter({ upstream }),
  openai: ({ upstream, own }) => createOpenai({ upstream, dialect: own ? 'compatible' : 'openai' }),
  comfyui: ({ upstream }) => createComfyui({ upstream }),
};
