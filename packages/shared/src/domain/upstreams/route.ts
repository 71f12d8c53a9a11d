import type { Resolution, TaskType } from '../contract/index.js';

/** One way to get images of a public model: a provider, its name of the model, and what it can do for which price. */
export interface Route {
  readonly provider: string;
  /** The provider's own name of the model. */
  readonly model: string;
  /** Micro-dollars an image by the provider's price list; a resolution that is absent is not offered. */
  readonly costMicros: Readonly<Partial<Record<Resolution, bigint>>>;
  readonly types: readonly TaskType[];
  readonly maxInputs: number;
  readonly maxImagesPerCall: number;
  /** Share of the tasks among neighbours with a weight; null: strictly in the order of the table. */
  readonly weight: number | null;
  /** Calls that one worker process has under way at once. */
  readonly concurrency: number;
  /** Goes into the provider's request as it is. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** The routes of every public model, in the order of preference. */
export type RoutingTable = Readonly<Record<string, readonly Route[]>>;
