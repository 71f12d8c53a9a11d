import type { TaskSettings, UpstreamName } from '@image-gateway/shared/upstreams';
import { createBfl } from './bfl/create-bfl.js';
import { createComfyui } from './comfyui/create-comfyui.js';
import { createDashscope } from './dashscope/create-dashscope.js';
import { createFal } from './fal/create-fal.js';
import type { JobPace } from './follow-job.js';
import { createGemini } from './gemini/create-gemini.js';
import { createVertex } from './gemini/create-vertex.js';
import { createMachineUpstream, type Upstream } from './http/create-upstream.js';
import { AZURE, createOpenai } from './openai/create-openai.js';
import { createOpenRouter } from './openrouter/create-openrouter.js';
import type { ImageProvider } from './port.js';
import { createReplicate } from './replicate/create-replicate.js';
import { createSdapi } from './sdapi/create-sdapi.js';
import { createTaskApi } from './task/create-task-api.js';

/** Creates a provider from the client of its API; `own` is true for an address of the operator, `times` replace those of the adapter. */
export type MakeProvider = (parts: {
  readonly upstream: Upstream;
  readonly own: boolean;
  readonly task?: TaskSettings | null | undefined;
  readonly times: { readonly pace?: JobPace };
}) => ImageProvider;

/** Factories of all upstream providers, by their name in `PROVIDERS`. */
export const PROVIDER_MAKERS: Readonly<Record<UpstreamName, MakeProvider>> = {
  gemini: ({ upstream }) => createGemini({ upstream }),
  fal: ({ upstream, times }) => createFal({ upstream }, times),
  replicate: ({ upstream, times }) => createReplicate({ upstream }, times),
  openrouter: ({ upstream }) => createOpenRouter({ upstream }),
  openai: ({ upstream, own }) => createOpenai({ upstream, dialect: own ? 'compatible' : 'openai' }),
  vertex: ({ upstream }) => createVertex({ upstream, machine: createMachineUpstream() }),
  'azure-openai': ({ upstream }) => createOpenai({ upstream, ...AZURE }),
  bfl: ({ upstream, times }) => createBfl({ upstream }, times),
  dashscope: ({ upstream }) => createDashscope({ upstream }),
  sdapi: ({ upstream }) => createSdapi({ upstream }),
  comfyui: ({ upstream, times }) => createComfyui({ upstream }, times),
  task: ({ upstream, times, task }) => createTaskApi({ upstream, settings: task ?? {} }, times),
};
