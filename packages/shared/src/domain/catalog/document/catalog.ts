import type { AspectRatio, Resolution, TaskType } from '../../contract/index.js';
import type { Protocol } from '../../upstreams/index.js';

/** Route of a model: a provider, its own model name, and what it can do at which cost. */
export interface CatalogRoute {
  readonly provider: string;
  readonly model: string;
  /** Micro-dollars an image; a resolution that is absent is not requested. */
  readonly costMicros: Readonly<Partial<Record<Resolution, bigint>>>;
  readonly types: readonly TaskType[];
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
}

/** Model of the catalog, defaults applied. */
export interface CatalogModel {
  readonly id: string;
  readonly name: string;
  readonly family: string | null;
  readonly enabled: boolean;
  readonly types: readonly TaskType[];
  /** Micro-dollars an image; a resolution that is absent is not offered. */
  readonly priceMicros: Readonly<Partial<Record<Resolution, bigint>>>;
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
  readonly keyEnv: string | null;
  readonly concurrency: number | null;
}

/** Content of a catalog version in the form that processes use. */
export interface Catalog {
  readonly defaultModel: string;
  readonly models: ReadonlyMap<string, CatalogModel>;
  readonly instances: ReadonlyMap<string, ProviderInstance>;
}
