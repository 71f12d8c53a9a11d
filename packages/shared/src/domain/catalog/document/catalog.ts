import type { AspectRatio, Quality, Resolution, TaskType } from '../../contract/index.js';
import type { Capabilities, Protocol, TaskSettings } from '../../upstreams/index.js';

/** Micro-dollars an image by resolution: one amount, or one for each quality. `prices.ts` reads them. */
export type Amounts = Readonly<
  Partial<Record<Resolution, bigint | Readonly<Partial<Record<Quality, bigint>>>>>
>;

/** Route of a model: a provider, its own model name, and what it can do at which cost. */
export interface CatalogRoute {
  readonly provider: string;
  readonly model: string;
  /** A resolution or quality that is absent is not requested. */
  readonly costMicros: Amounts;
  readonly accepts: Capabilities;
  /** Quality that is drawn where none is asked for; null: the upstream's own, which nobody knows. */
  readonly defaultQuality: Quality | null;
  readonly types: readonly TaskType[];
  /** Of an edit. */
  readonly minInputs: number;
  readonly maxInputs: number;
  /** Null: what the protocol takes. */
  readonly maxImagesPerCall: number | null;
  /** Share among neighbors with a weight; null: strictly in the order of the list. */
  readonly weight: number | null;
  /** Calls of one worker process at a time; null: GENERATION_CONCURRENCY. */
  readonly concurrency: number | null;
  readonly options: Readonly<Record<string, unknown>>;
  readonly sizes: Readonly<Partial<Record<AspectRatio, Readonly<Partial<Record<Resolution, string>>>>>>;
  readonly resolution: 'sent' | 'fixed';
  /** Longest call in milliseconds; null: that of the adapter. */
  readonly timeoutMs: number | null;
  /** Null where the cost of an image counts. */
  readonly tokenCost: TokenCost | null;
  /** End of the upstream model; null for no known one. */
  readonly retires: Retirement | null;
}

/** End of an upstream model. */
export interface Retirement {
  /** Such as `2026-12-01`. */
  readonly on: string;
  /** Model of the vendor that takes its place; null where none is known. */
  readonly successor: string | null;
  /** True where the document says it, which counts more than the vendor's word. */
  readonly isOwn?: true;
}

/** Micro-dollars a million tokens of each kind. */
export interface TokenCost {
  readonly textIn: bigint;
  readonly imageIn: bigint;
  readonly textOut: bigint;
  readonly imageOut: bigint;
}

/** Model of the catalog, defaults applied. */
export interface CatalogModel {
  readonly id: string;
  readonly name: string;
  readonly family: string | null;
  readonly enabled: boolean;
  readonly types: readonly TaskType[];
  /** A resolution that is absent is not offered; an amount for each quality offers exactly these. */
  readonly priceMicros: Amounts;
  readonly defaultResolution: Resolution;
  readonly aspectRatios: readonly AspectRatio[];
  readonly defaultAspectRatio: AspectRatio;
  readonly maxInputs: number;
  readonly maxOutputs: number;
  readonly aliases: readonly string[];
  readonly facadeAspectRatios: readonly AspectRatio[];
  readonly routes: readonly CatalogRoute[];
  /** True if the routes are the built-in ones, which follow the order of PROVIDERS. */
  readonly hasBuiltInRoutes: boolean;
}

/** Provider instance of the catalog. */
export interface ProviderInstance {
  readonly name: string;
  readonly protocol: Protocol;
  readonly baseUrl: string | null;
  /** Path of the API below the address; null: that of the protocol. */
  readonly apiPath: string | null;
  readonly keyEnv: string | null;
  readonly concurrency: number | null;
  /** True if repeating a call whose outcome is unknown costs nothing. */
  readonly repeatUnknown: boolean;
  /** Settings of a task API; null for other protocols. */
  readonly task: TaskSettings | null;
}

/** Content of a catalog version in the form that processes use. */
export interface Catalog {
  readonly defaultModel: string;
  readonly models: ReadonlyMap<string, CatalogModel>;
  readonly instances: ReadonlyMap<string, ProviderInstance>;
}
