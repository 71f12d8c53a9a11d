import type { AspectRatio, Quality, Resolution, TaskType } from '../../contract/index.js';
import type { CapabilitiesEntry, Protocol, TaskSettings } from '../../upstreams/index.js';

type ByResolution<T> = Readonly<Partial<Record<Resolution, T>>>;

/** Provider instance of a document: a further address and keys of a protocol. */
export interface ProviderEntry extends TaskSettings {
  readonly protocol: Protocol;
  readonly base_url?: string;
  readonly api_path?: string;
  readonly key_env?: string;
  readonly concurrency?: number;
  /** True if repeating a call whose outcome is unknown costs nothing. */
  readonly repeat_unknown?: boolean;
}

/** Dollars an image: one amount, or an amount for each quality. */
export type DollarsEntry = string | Readonly<Partial<Record<Quality, string>>>;

/** Route of a document: a provider, its own model name, and what an image costs there. */
export interface RouteEntry {
  readonly provider: string;
  readonly model: string;
  /** Dollars an image; a resolution without a cost is not requested from this route. */
  readonly cost: ByResolution<DollarsEntry>;
  /** Replaces the default as a whole. */
  readonly accepts?: CapabilitiesEntry;
  readonly types?: readonly TaskType[];
  readonly min_inputs?: number;
  readonly max_inputs?: number;
  readonly max_images_per_call?: number;
  readonly weight?: number;
  readonly concurrency?: number;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly sizes?: Readonly<Partial<Record<AspectRatio, ByResolution<string>>>>;
  readonly resolution?: 'sent' | 'fixed';
  /** Longest call in seconds. */
  readonly timeout?: number;
  /** Last day of the upstream model, such as `2026-12-01`. */
  readonly retires?: string;
  /** Dollars a million tokens, for an upstream that reports tokens. */
  readonly token_cost?: TokenCostEntry;
}

/** Dollars a million tokens of each kind. */
export interface TokenCostEntry {
  readonly text_in?: string;
  readonly image_in?: string;
  /** Tokens of the images, and of the texts and thoughts unless these have a price of their own. */
  readonly out: string;
  readonly text_out?: string;
}

/** Model of a document. Every field is optional, because an entry may change a few fields of a built-in model. */
export interface ModelEntry {
  readonly name?: string;
  /** Public name of the model family. */
  readonly family?: string;
  readonly enabled?: boolean;
  readonly types?: readonly TaskType[];
  /** Dollars an image; a resolution without a price is not offered. */
  readonly price?: ByResolution<DollarsEntry>;
  readonly default_resolution?: Resolution;
  readonly aspect_ratios?: readonly AspectRatio[];
  readonly default_aspect_ratio?: AspectRatio;
  readonly max_inputs?: number;
  readonly max_outputs?: number;
  readonly aliases?: readonly string[];
  readonly facade_aspect_ratios?: readonly AspectRatio[];
  readonly routes?: readonly RouteEntry[];
}

/** Catalog document as an operator writes it. */
export interface CatalogDocument {
  readonly $schema?: string;
  readonly default_model?: string;
  readonly providers?: Readonly<Record<string, ProviderEntry>>;
  readonly models?: Readonly<Record<string, ModelEntry>>;
}
