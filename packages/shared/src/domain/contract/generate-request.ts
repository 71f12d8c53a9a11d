import type { AspectRatio, Resolution } from './limits.js';

/** Known fields of a body of `POST /v1/generate` whose types are checked; defaults are not applied. */
export type GivenRequest = Pick<GenerateRequest, 'model' | 'prompt'> & Partial<GenerateRequest>;

/** A validated body of `POST /v1/generate`, defaults applied, unknown fields dropped; what was not given is absent. */
export interface GenerateRequest {
  readonly model: string;
  readonly prompt: string;
  readonly negative_prompt?: string;
  readonly aspect_ratio: AspectRatio;
  readonly num_outputs: number;
  readonly resolution: Resolution;
  readonly image_urls?: readonly string[];
  readonly webhook_url?: string;
  /** Validated and stored; no provider is given it. */
  readonly duration?: number;
}
