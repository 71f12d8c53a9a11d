import type { AspectRatio, Resolution } from './limits.js';

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
