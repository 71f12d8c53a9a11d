import { azureOpenai } from './azure-openai.js';
import { bfl } from './bfl.js';
import { comfyui } from './comfyui.js';
import { dashscope } from './dashscope.js';
import { fal } from './fal.js';
import { gemini } from './gemini.js';
import { openai } from './openai.js';
import { openrouter } from './openrouter.js';
import type { UpstreamDescription } from './protocol.js';
import { replicate } from './replicate.js';
import { sdapi } from './sdapi.js';
import { task } from './task.js';
import { vertex } from './vertex.js';

/**
 * Protocols of upstream providers, in the default order of preference. Those that draw with the named models come first,
 * in the order of price; one that draws with its own comes last.
 */
export const UPSTREAMS = {
  gemini,
  fal,
  replicate,
  openrouter,
  openai,
  vertex,
  'azure-openai': azureOpenai,
  bfl,
  dashscope,
  sdapi,
  comfyui,
  task,
} as const satisfies Readonly<Record<string, UpstreamDescription>>;

/** Protocol of an upstream provider. */
export type UpstreamName = keyof typeof UPSTREAMS;

/** The name of an upstream provider that the environment configures, as `PROVIDERS` and routes give it. */
export type BuiltInUpstream = {
  [Name in UpstreamName]: (typeof UPSTREAMS)[Name]['envPrefix'] extends string ? Name : never;
}[UpstreamName];

/** Returns true for a provider that the environment configures. */
export function isBuiltIn(name: UpstreamName): name is BuiltInUpstream {
  return UPSTREAMS[name].envPrefix !== null;
}
