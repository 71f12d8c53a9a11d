import type { AspectRatio, Background, OutputFormat, Quality, Resolution } from './limits.js';
import type { Metadata } from './metadata.js';

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
  readonly quality?: Quality;
  readonly seed?: number;
  readonly output_format?: OutputFormat;
  readonly background?: Background;
  /** Shown in every form of the task; given to no provider. */
  readonly metadata?: Metadata;
}

/** Request of a task: a validated body, or what the facade made of its own. */
export interface TaskRequest extends GenerateRequest {
  /** Mask of an edit, an `input:` entry. */
  readonly mask?: string;
  readonly wishes?: Preferences;
  /** Ratios of which a worker shall set the one that is nearest to the first input image. */
  readonly shape_ratios?: readonly AspectRatio[];
}

/**
 * Preferences of a request of the facade, beside what it requires. The route that draws may leave some out, which the answer
 * names. Null: a value that no route understands.
 */
export interface Preferences {
  readonly quality?: Quality | null;
  readonly output_format?: OutputFormat | null;
  /** 0 to 100. */
  readonly output_compression?: number | null;
  readonly style?: string | null;
  readonly moderation?: string | null;
  readonly input_fidelity?: string | null;
  readonly seed?: number | null;
  /** Other backgrounds than those that a request can require. */
  readonly background?: null;
}

/** Field of a request that the form of the playground offers, beside the model and the images to edit. */
export type FormFieldName = Exclude<
  keyof GenerateRequest,
  'model' | 'image_urls' | 'webhook_url' | 'duration' | 'metadata'
>;
